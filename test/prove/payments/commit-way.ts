import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** `before` it reaches the server, or `after` the server has done it, before anybody knows. */
export type Moment = 'before' | 'after'

/** A way to PostgreSQL that breaks at a commit. */
export type CommitWay = AsyncDisposable & {
  readonly url: string
  /** The next commit of any connection loses it. `first` is called before anybody can notice. */
  breakAt(moment: Moment, first?: () => void): void
  /** How often it broke. */
  readonly broken: Readonly<Record<Moment, number>>
}

/** A simple query: its type, the length of the rest, the text and its end. */
const COMMIT = Buffer.concat([
  Buffer.from('Q'),
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('commit\0'),
])

export async function startCommitWay(target: string): Promise<CommitWay> {
  const { hostname, port } = new URL(target)
  const broken = { before: 0, after: 0 }
  let armed: { readonly moment: Moment; readonly first: () => void } | undefined
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const close = () => {
      near.destroy()
      far.destroy()
    }
    const lose = (moment: Moment, first: () => void) => {
      broken[moment] += 1
      first()
      close()
    }
    let onAnswer: (() => void) | undefined
    near.on('data', (data) => {
      if (armed === undefined || !data.equals(COMMIT)) return void far.write(data)
      const { moment, first } = armed
      armed = undefined
      if (moment === 'before') return lose(moment, first)
      onAnswer = () => lose(moment, first)
      far.write(data)
    })
    far.on('data', (data) => {
      if (onAnswer === undefined) near.write(data)
      else onAnswer()
    })
    for (const socket of [near, far]) socket.on('error', close).on('close', close)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    broken,
    breakAt: (moment, first = () => {}) => void (armed = { moment, first }),
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { chooseFreePort } from '../../../stack/ports.ts'

const PORT_FIRST = 28_500
const PORTS = 1_000

/** A way to a server on which answers can be held back: the server has acted, nobody knows yet. */
export type SlowWay = AsyncDisposable & {
  readonly url: string
  hold(): void
  /** When the server has answered something that is being held. */
  holding(): Promise<void>
  release(): void
}

export async function startSlowWay(target: string): Promise<SlowWay> {
  const url = new URL(target)
  const far = Number(url.port)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let isHolding = false
  let firstHeld = Promise.withResolvers<void>()
  const answer = (near: Socket, data: Buffer) => {
    if (!isHolding) {
      near.write(data)
      return
    }
    held.push(() => near.write(data))
    firstHeld.resolve()
  }
  const server = createServer((near) => {
    const other = connect(far, '127.0.0.1')
    near.on('data', (data) => void other.write(data))
    other.on('data', (data) => answer(near, data))
    for (const [one, two] of [
      [near, other],
      [other, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => two.destroy())
      one.on('close', () => {
        sockets.delete(one)
        two.destroy()
      })
    }
  })
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    hold() {
      isHolding = true
      firstHeld = Promise.withResolvers<void>()
    },
    holding: () => firstHeld.promise,
    release() {
      isHolding = false
      for (const send of held.splice(0)) send()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

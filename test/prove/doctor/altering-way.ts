import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A way to a server that changes or delays what the server answers. */
export type AlteringWay = AsyncDisposable & { readonly url: string }

/** `alter` must keep the length: the protocols of the stores count bytes. */
export async function startAlteringWay(
  target: string,
  { alter = (text) => text, delayMs = 0 }: { alter?: (text: string) => string; delayMs?: number },
): Promise<AlteringWay> {
  const { hostname, port } = new URL(target)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.pipe(far)
    far.on('data', (data) => {
      const text = data.toString('latin1')
      const altered = alter(text)
      if (altered.length !== text.length) throw new Error('the altered answer has another length')
      const send = () => near.write(altered, 'latin1')
      if (delayMs === 0) send()
      else setTimeout(send, delayMs)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server that can be cut as by a firewall: connections stay open, nothing passes. */
export type CuttableWay = AsyncDisposable & {
  readonly url: string
  cut(): void
  /** Closes what was cut; new connections pass. */
  mend(): void
}

export async function startCuttableWay(target: string): Promise<CuttableWay> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let passes = true
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('data', (data) => void (passes && other.write(data)))
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        // The server must not learn from a closed connection that its client gave up.
        if (passes || one === far) other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cut: () => void (passes = false),
    mend() {
      closeAll()
      passes = true
    },
    async [Symbol.asyncDispose]() {
      passes = true
      closeAll()
      server.close()
      await once(server, 'close')
    },
  }
}

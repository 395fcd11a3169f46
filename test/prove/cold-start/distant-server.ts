import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { coupleSockets } from '../revocation/couple-sockets.ts'

export type DistantServer = AsyncDisposable & { readonly url: string }

/** A way to a server on which each answer takes some time, as from a busy or distant one. */
export async function startDistance(target: string, delayMs: number): Promise<DistantServer> {
  const url = new URL(target)
  const targetPort = Number(url.port)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    client.on('data', (data) => void upstream.write(data))
    upstream.on('data', (data) => setTimeout(() => client.write(data), delayMs))
    coupleSockets(client, upstream, sockets)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { coupleSockets } from './couple-sockets.ts'

/** A proxy that can delay the answers of a server: the server has acted, its client waits. */
export type SlowProxy = AsyncDisposable & {
  readonly url: string
  hold(): void
  /** Resolves when the server has answered something that is being held. */
  holding(): Promise<void>
  release(): void
}

export async function startSlowProxy(target: string): Promise<SlowProxy> {
  const url = new URL(target)
  const targetPort = Number(url.port)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let isHolding = false
  let firstHeld = Promise.withResolvers<void>()
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    client.on('data', (data) => void upstream.write(data))
    upstream.on('data', (data) => {
      if (!isHolding) client.write(data)
      else {
        held.push(() => client.write(data))
        firstHeld.resolve()
      }
    })
    coupleSockets(client, upstream, sockets)
  })
  server.listen(0, '127.0.0.1')
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

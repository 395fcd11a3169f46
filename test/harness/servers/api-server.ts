import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiServer, type ApiServerOptions } from '../../../src/http/server.ts'
import { keepLines } from '../lines.ts'

/** The HTTP server of the product in this process; each `open` is a connection of its own. */
export async function startApiServer(handle: ApiServerOptions['handle']) {
  const { server } = createApiServer({
    handle,
    origins: new Set(),
    exposedHeaders: '',
    connectionsMax: 100,
    log: keepLines().log,
    onEnd: () => undefined,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async open(path = '/'): Promise<IncomingMessage> {
      const sent = request({ port, host: '127.0.0.1', path, agent: false }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return response
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'

export type PrefixProxyOptions = {
  /** Where browsers reach it; the console's public address. */
  readonly port: number
  readonly prefix: string
  /** Whether it removes the prefix before it passes a request on. */
  readonly strips: boolean
  /** Origin of the console. */
  readonly target: () => string
}

export type PrefixProxy = AsyncDisposable & {
  /** Paths that were asked for elsewhere than below the prefix: answered with 404. */
  readonly outside: readonly string[]
}

/** A reverse proxy that has given the console a path of a larger site. */
export async function startPrefixProxy(options: PrefixProxyOptions): Promise<PrefixProxy> {
  const outside: string[] = []
  const server = createServer((incoming, answer) => {
    const url = incoming.url ?? ''
    if (!`${url}/`.startsWith(`${options.prefix}/`)) {
      outside.push(url)
      answer.writeHead(404, { 'content-type': 'text/plain' }).end('Another part of the site.')
      return
    }
    passOn(incoming, answer, options)
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  return {
    outside,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function passOn(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { prefix, strips, target }: PrefixProxyOptions,
): void {
  const { url = '', method, headers } = incoming
  const path = strips ? url.slice(prefix.length) || '/' : url
  const onward = request(new URL(target()), { path, method, headers }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers)
    received.pipe(answer)
  })
  onward.on('error', () => {
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(502).end()
  })
  answer.on('close', () => onward.destroy())
  incoming.pipe(onward)
}

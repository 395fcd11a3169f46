import { createServer, type Server, type ServerResponse } from 'node:http'
import type { MetricsPage } from '../lib/meter.ts'

/** The dependencies of a process and whether each can be reached now. */
export type Readiness = Readonly<Record<string, boolean>>

/**
 * Serves what orchestrators and operators ask, apart from the API's own port: `/healthz` says that
 * the process answers, `/readyz` that it should get traffic, `/engines` what is known of engines,
 * `/metrics` what it counts. A page that the process has nothing for is not there.
 */
export function createHealthServer(
  ready: () => Promise<Readiness>,
  engines: (() => object) | undefined,
  metrics?: MetricsPage,
): Server {
  return createServer((request, response) => {
    if (request.url === '/healthz') answer(response, 200, { status: 'ok' })
    else if (request.url === '/readyz')
      ready().then(
        (checks) => answer(response, Object.values(checks).every(Boolean) ? 200 : 503, { checks }),
        () => answer(response, 503, { checks: {} }),
      )
    else if (request.url === '/engines' && engines !== undefined) answer(response, 200, engines())
    else if (request.url === '/metrics' && metrics !== undefined)
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => answer(response, 500, { status: 'failed' }),
      )
    else answer(response, 404, { status: 'not found' })
  })
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

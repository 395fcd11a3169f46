import { createServer, type Server, type ServerResponse } from 'node:http'
import type { MetricsPage } from '../lib/meter.ts'

/** The dependencies of a process, and whether each is reachable now. */
export type Readiness = Readonly<Record<string, boolean>>

/**
 * Serves orchestrators and operators on a port of its own: `/healthz` says whether the process is
 * alive, `/readyz` whether it should get traffic, `/engines` the state of the engines, `/metrics`
 * the metrics, `/status` what the process is. What the process does not have is 404.
 */
export function createHealthServer(
  ready: () => Promise<Readiness>,
  engines: (() => object) | undefined,
  metrics?: MetricsPage,
  status?: () => object,
): Server {
  return createServer((request, response) => {
    if (request.url === '/healthz') answer(response, 200, { status: 'ok' })
    else if (request.url === '/readyz')
      ready().then(
        (checks) => answer(response, Object.values(checks).every(Boolean) ? 200 : 503, { checks }),
        () => answer(response, 503, { checks: {} }),
      )
    else if (request.url === '/engines' && engines !== undefined) answer(response, 200, engines())
    else if (request.url === '/status' && status !== undefined) answer(response, 200, status())
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

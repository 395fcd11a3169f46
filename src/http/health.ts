import { createServer, type Server } from 'node:http'

/** The dependencies of a process and whether each can be reached now. */
export type Readiness = Readonly<Record<string, boolean>>

/**
 * Serves what orchestrators and operators ask, apart from the API's own port: `/healthz` says that
 * the process answers, `/readyz` that it should get traffic, `/engines` what is known of engines.
 */
export function createHealthServer(ready: () => Promise<Readiness>, engines: () => object): Server {
  return createServer((request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (request.url === '/healthz') answer(200, { status: 'ok' })
    else if (request.url === '/readyz')
      ready().then(
        (checks) => answer(Object.values(checks).every(Boolean) ? 200 : 503, { checks }),
        () => answer(503, { checks: {} }),
      )
    else if (request.url === '/engines') answer(200, engines())
    else answer(404, { status: 'not found' })
  })
}

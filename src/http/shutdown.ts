import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiServer } from './server.ts'

/** The time limits of a graceful shutdown. */
export type DrainTimes = {
  /** The server still accepts connections, while load balancers take it out of rotation. */
  readonly lingerMs: number
  /** Time for running requests to finish. */
  readonly graceMs: number
}

/** How often idle connections are closed while the busy ones finish. */
const SWEEP_INTERVAL_MS = 100
/** Time to send the final error responses. */
const FINAL_RESPONSES_MS = 1_000

/**
 * Shuts a server down gracefully. First every response asks its client to reconnect, while requests
 * are still served; then the server stops listening and lets running requests finish; those that
 * still run after `graceMs` end with an error. `server.close()` alone resets connections on which
 * the next request is on its way, and never ends while clients keep connections alive.
 */
export async function drain(
  apiServer: ApiServer,
  { lingerMs, graceMs }: DrainTimes,
): Promise<void> {
  const { server } = apiServer
  if (!server.listening) return
  apiServer.announceShutdown()
  await pause(lingerMs)
  const closed = once(server, 'close')
  // After this turn of the event loop has accepted the connections that are already established.
  setImmediate(() => server.close())
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS)
  const deadline = setTimeout(() => apiServer.abortRequests(), graceMs)
  const end = setTimeout(() => server.closeAllConnections(), graceMs + FINAL_RESPONSES_MS)
  await closed
  clearInterval(sweep)
  for (const timer of [deadline, end]) clearTimeout(timer)
}

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Edge } from './server.ts'

/** How long a server goes on before and while it ends. */
export type DrainTimes = {
  /** Still accepting, while balancers and clients learn that it should get no more. */
  readonly lingerMs: number
  /** For what runs to finish. */
  readonly graceMs: number
}

/** How often connections that have become idle are closed while the busy ones finish. */
const SWEEP_INTERVAL_MS = 100
/** What is left for the last words to be sent. */
const LAST_WORDS_MS = 1_000

/**
 * Ends a server without breaking anything off. First every answer tells its client to connect
 * anew, while all are still served; then it stops listening and lets what runs finish; what still
 * runs after `graceMs` is told so. `server.close()` alone resets connections on which the next
 * request is on its way, and never ends while clients keep others alive.
 */
export async function drain(edge: Edge, { lingerMs, graceMs }: DrainTimes): Promise<void> {
  const { server } = edge
  if (!server.listening) return
  edge.announceEnd()
  await pause(lingerMs)
  const closed = once(server, 'close')
  // Right after a round of the event loop has accepted all that had connected.
  setImmediate(() => server.close())
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS)
  const deadline = setTimeout(() => edge.breakOff(), graceMs)
  const end = setTimeout(() => server.closeAllConnections(), graceMs + LAST_WORDS_MS)
  await closed
  clearInterval(sweep)
  for (const timer of [deadline, end]) clearTimeout(timer)
}

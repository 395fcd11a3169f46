import { once } from 'node:events'
import type { Edge } from './server.ts'

/** How often connections that have become idle are closed while the busy ones finish. */
const SWEEP_INTERVAL_MS = 100
/** What is left for the last words to be sent. */
const LAST_WORDS_MS = 1_000

/**
 * Stops listening and lets every running exchange finish. What still runs after `graceMs` is told
 * so and broken off. `server.close()` alone never ends while clients keep connections alive.
 */
export async function drain({ server, breakOff }: Edge, graceMs: number): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS)
  const deadline = setTimeout(() => breakOff(), graceMs)
  const end = setTimeout(() => server.closeAllConnections(), graceMs + LAST_WORDS_MS)
  await closed
  clearInterval(sweep)
  for (const timer of [deadline, end]) clearTimeout(timer)
}

import { HOUR_MS } from '../../lib/time.ts'

/**
 * Called for every request that came through a proxy that the configuration does not name. It is
 * logged once, and remembered for `headrace doctor` once an hour.
 */
export function createProxyNote(warn: () => void, remember: () => Promise<void>): () => void {
  let rememberedMs = -Infinity
  return () => {
    const nowMs = performance.now()
    if (nowMs - rememberedMs < HOUR_MS) return
    if (rememberedMs === -Infinity) warn()
    rememberedMs = nowMs
    // Without Valkey the next hour tries again: nobody waits for it.
    remember().catch(() => {})
  }
}

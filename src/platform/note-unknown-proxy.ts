import type { Log } from '../lib/log.ts'
import { HOUR_MS } from '../lib/time.ts'

/**
 * Called for every request that came through a proxy that the configuration does not name. It is
 * logged once, and remembered for `headrace doctor` once an hour.
 */
export function createProxyNote(log: Log, remember: () => Promise<void>): () => void {
  let rememberedMs = -Infinity
  return () => {
    const nowMs = performance.now()
    if (nowMs - rememberedMs < HOUR_MS) return
    if (rememberedMs === -Infinity)
      log.warn({}, 'requests have X-Forwarded-For, but console.trusted_proxies is 0')
    rememberedMs = nowMs
    // Without Valkey the next hour tries again: nobody waits for it.
    remember().catch(() => {})
  }
}

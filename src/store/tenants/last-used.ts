import type { Pool } from 'pg'
import { MINUTE_MS } from '../../lib/time.ts'

const FLUSH_INTERVAL_MS = 10_000

/** Beyond this many keys between two flushes, further ones are ignored to bound memory. */
const PENDING_MAX = 50_000

const BATCH_MAX = 1000

// Locks rows in the order of their ids, so that two processes cannot deadlock. A row that is up to
// date is not written.
const UPDATE = `
  with used as (
    select * from unnest($1::uuid[], $2::timestamptz[]) as used (id, used_at)
  ), locked as (
    select api_keys.id, used.used_at
    from api_keys join used using (id)
    where api_keys.last_used_at is null or api_keys.last_used_at < used.used_at
    order by api_keys.id
    for update of api_keys
  )
  update api_keys set last_used_at = locked.used_at from locked where api_keys.id = locked.id`

export type LastUsed = {
  /** Costs one map lookup. Never waits, never throws. */
  note(apiKeyId: string, nowMs: number): void
  /** Writes the noted uses. Those that cannot be written are lost. */
  flush(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Records when API keys were last used, off the request path. Losing some of it is acceptable. */
export function openLastUsed(
  pool: Pick<Pool, 'query'>,
  options: {
    readonly onError?: (error: unknown) => void
    readonly pendingMax?: number
    readonly flushIntervalMs?: number
  } = {},
): LastUsed {
  const pendingMax = options.pendingMax ?? PENDING_MAX
  let pending = new Map<string, number>()
  // The keys of the last flush, so that a busy key is written once a minute, not at every flush.
  let written = new Map<string, number>()
  let flushing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (pending.size === 0) return
    const batch = [...pending]
    pending = new Map()
    const newest = batch.reduce((latest, [, minute]) => Math.max(latest, minute), 0)
    const current = [...written, ...batch].filter(([, minute]) => minute === newest)
    written = new Map(current.slice(-pendingMax))
    for (let start = 0; start < batch.length; start += BATCH_MAX) {
      const part = batch.slice(start, start + BATCH_MAX)
      await pool.query(UPDATE, [
        part.map(([id]) => id),
        part.map(([, minute]) => new Date(minute * MINUTE_MS)),
      ])
    }
  }

  function flush(): Promise<void> {
    // One at a time: flushes must not pile up on a slow database.
    flushing = flushing.then(write).catch((error: unknown) => options.onError?.(error))
    return flushing
  }

  const timer = setInterval(() => void flush(), options.flushIntervalMs ?? FLUSH_INTERVAL_MS)
  timer.unref()
  return {
    note(apiKeyId, nowMs) {
      // To the minute, so that a busy key costs one update a minute.
      const minute = Math.floor(nowMs / MINUTE_MS)
      if (written.get(apiKeyId) === minute) return
      if (pending.size >= pendingMax && !pending.has(apiKeyId)) return
      pending.set(apiKeyId, minute)
    },
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await flush()
    },
  }
}

import type { Pool } from 'pg'
import { traceError, type Log } from '../../lib/log.ts'
import { SealBroken } from '../../lib/seal.ts'
import type { ContentRecord } from '../../tenancy/content-record.ts'
import { createContentKeys, type ContentKeys, type MasterKeys } from './content-keys.ts'
import { isUnavailable } from '../postgres/postgres.ts'
import { sealRecord, type SealedRecord } from './sealed-content.ts'

/** Long enough to store many records with one statement, short enough that a crash loses few. */
const BATCH_DELAY_MS = 200
const BATCH_RECORDS_MAX = 64
const BATCH_BYTES_MAX = 4 * 1024 * 1024

/** Retry delays, long enough for a restart of PostgreSQL; after the last one a batch is dropped. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000] as const

/** Keys that keep disappearing are being destroyed on purpose, so sealing gives up. */
const SEAL_ATTEMPTS_MAX = 3

/** Memory that a record needs besides its content. */
const RECORD_OVERHEAD_BYTES = 1024

/** Minimum time between two warnings about dropped content. */
const WARN_INTERVAL_MS = 10_000

export type ContentCounts = {
  readonly stored: number
  readonly dropped: number
  readonly waitingBytes: number
}

/** Stores content off the request path. Its memory is bounded; content beyond it is dropped. */
export type ContentLog = AsyncDisposable & {
  claim(bytes: number): boolean
  keep(record: ContentRecord, claimedBytes: number): void
  drop(claimedBytes: number): void
  counts(): ContentCounts
  /** Resolves when everything kept so far is stored or dropped. */
  flush(): Promise<void>
}

type ContentLogOptions = {
  readonly masterKeys: MasterKeys
  readonly bytesMax: number
  readonly log: Log
  readonly retryMs?: readonly number[]
}

export function openContentLog(pool: Pool, options: ContentLogOptions): ContentLog {
  const { bytesMax, log, retryMs = RETRY_MS } = options
  const keys = createContentKeys(pool, options.masterKeys)
  const closing = new AbortController()
  const dropped = createDropCounter(log)
  let queue: ContentRecord[] = []
  let heldBytes = 0
  let stored = 0
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    await pause(BATCH_DELAY_MS, closing.signal)
    while (queue.length > 0) {
      const batch = takeBatch(queue)
      queue = queue.slice(batch.length)
      const count = await storeWithRetry(pool, keys, batch, retryMs, closing.signal, log)
      stored += count
      dropped.add(batch.length - count)
      heldBytes -= batch.reduce((sum, record) => sum + sizeOf(record), 0)
    }
    writing = undefined
  }

  return {
    claim(bytes) {
      if (heldBytes + bytes > bytesMax) return false
      heldBytes += bytes
      return true
    },
    keep(record, claimedBytes) {
      heldBytes += sizeOf(record) - claimedBytes
      if (heldBytes > bytesMax) {
        heldBytes -= sizeOf(record)
        dropped.add(1)
        return
      }
      queue.push(record)
      writing ??= write()
    },
    drop(claimedBytes) {
      heldBytes -= claimedBytes
      dropped.add(1)
    },
    counts: () => ({ stored, dropped: dropped.count(), waitingBytes: heldBytes }),
    async flush() {
      await writing
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await this.flush()
    },
  }
}

/** Counts dropped records, and logs a warning now and then. */
function createDropCounter(log: Log): { add(count: number): void; count(): number } {
  let total = 0
  let logged = 0
  let loggedMs = -Infinity
  return {
    add(count) {
      total += count
      const nowMs = performance.now()
      if (total === logged || nowMs - loggedMs < WARN_INTERVAL_MS) return
      log.warn({ count: total - logged }, 'content dropped')
      logged = total
      loggedMs = nowMs
    },
    count: () => total,
  }
}

/** Resolves after this time, or at once when aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) return Promise.resolve()
  const timer = setTimeout(finish, ms)
  function finish(): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', finish)
    resolve()
  }
  signal.addEventListener('abort', finish)
  return promise
}

function takeBatch(queue: readonly ContentRecord[]): ContentRecord[] {
  let bytes = 0
  const fits = (record: ContentRecord, index: number) => {
    bytes += sizeOf(record)
    return index === 0 || bytes <= BATCH_BYTES_MAX
  }
  const most = queue.slice(0, BATCH_RECORDS_MAX)
  const end = most.findIndex((record, index) => !fits(record, index))
  return end === -1 ? most : most.slice(0, end)
}

function sizeOf({ content }: ContentRecord): number {
  return content.byteLength + RECORD_OVERHEAD_BYTES
}

/** Retries while PostgreSQL is unavailable. Returns how many records were stored. */
async function storeWithRetry(
  pool: Pool,
  keys: ContentKeys,
  batch: readonly ContentRecord[],
  retryMs: readonly number[],
  closing: AbortSignal,
  log: Log,
): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await store(pool, keys, batch, log)
    } catch (error) {
      const waitMs = retryMs[attempt]
      if (!isUnavailable(error) || waitMs === undefined || closing.aborted) {
        log.error({ count: batch.length, error: traceError(error) }, 'content storage failed')
        return 0
      }
      await pause(waitMs, closing)
    }
  }
}

/**
 * A key may be destroyed between sealing and storing. Then nothing is stored with the old key, and
 * the content is sealed again with a new one.
 */
async function store(
  pool: Pool,
  keys: ContentKeys,
  batch: readonly ContentRecord[],
  log: Log,
): Promise<number> {
  let unstored = batch
  let count = 0
  for (let attempt = 0; unstored.length > 0 && attempt < SEAL_ATTEMPTS_MAX; attempt += 1) {
    const sealed: SealedRecord[] = []
    for (const record of unstored) {
      const sealedRecord = await sealIfPossible(record, keys, log)
      if (sealedRecord !== undefined) sealed.push(sealedRecord)
    }
    const existingKeys = await insert(pool, sealed)
    const skipped = sealed.filter(({ keyId }) => !existingKeys.has(keyId))
    for (const { scope } of skipped) keys.evict(scope)
    count += sealed.length - skipped.length
    unstored = skipped.map(({ record }) => record)
  }
  return count
}

/** Undefined if the key cannot be unwrapped, so that other records are still stored. */
async function sealIfPossible(
  record: ContentRecord,
  keys: ContentKeys,
  log: Log,
): Promise<SealedRecord | undefined> {
  try {
    return await sealRecord(record, keys)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    const { organizationId } = record
    log.error({ organizationId }, 'content key was wrapped with a key that is not configured')
    return undefined
  }
}

// Locks the keys until commit, so that a key is destroyed either before, and its records are
// skipped, or after, and they become unreadable. Returns the keys that existed.
const INSERT = `
  with records as (
    select * from unnest(
      $1::text[], $2::date[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[],
      $8::timestamptz[], $9::uuid[], $10::text[], $11::bytea[]
    ) as records (retention, kept_on, id, organization_id, project_id, key_id, terms_version,
                  terms_accepted_at, terms_accepted_by, model, sealed)
  ), alive as materialized (
    select id from content_keys where id = any($6::uuid[]) order by id for key share
  ), stored as (
    insert into retained_content (retention, kept_on, id, organization_id, project_id, key_id,
      terms_version, terms_accepted_at, terms_accepted_by, model, sealed)
    select records.* from records where records.key_id in (select id from alive)
    on conflict (retention, kept_on, id) do nothing
  )
  select id from alive`

async function insert(pool: Pool, batch: readonly SealedRecord[]): Promise<ReadonlySet<string>> {
  const records = batch.map(({ record }) => record)
  const { rows } = await pool.query<{ id: string }>(INSERT, [
    records.map(({ retention }) => retention),
    batch.map(({ scope }) => scope.day),
    records.map(({ id }) => id),
    records.map(({ organizationId }) => organizationId),
    records.map(({ projectId }) => projectId),
    batch.map(({ keyId }) => keyId),
    records.map(({ terms }) => terms?.version ?? null),
    records.map(({ terms }) => terms?.acceptedAt ?? null),
    records.map(({ terms }) => terms?.acceptedBy ?? null),
    records.map(({ model }) => model),
    batch.map(({ sealed }) => sealed),
  ])
  return new Set(rows.map(({ id }) => id))
}

import { traceError, type Log } from '../../lib/log.ts'
import { Roster } from '../../lib/running/roster.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { OpenedRecord, TrackedUsage, UsageCounts } from '../../tenancy/usage-record.ts'
import { organizationKeys, partitionKeys, partitionOf } from '../valkey/keys.ts'
import { runningArguments } from './settlements.ts'
import { readScript, scriptCaller, type ScriptCall } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'

export const TICK_MS = 100

/** A checkpoint is due after this many tokens, or after this much time. */
export const CHECKPOINT_TOKENS = 32
export const CHECKPOINT_MS = 1_000

/** Heartbeat interval. Workers consider a process gone after several intervals without one. */
const LEASE_MS = 5_000

/** Requests per call: larger calls would delay the server's other clients. */
const BATCH_MAX = 500

const RETRY_DELAY_MS = 500

const CHECKPOINT_SCRIPT = readScript(import.meta.url, 'checkpoint.lua')
const REOPEN_SCRIPT = readScript(import.meta.url, 'reopen.lua')

/** An open request of this process. */
class TrackedRequest implements TrackedUsage {
  readonly opened: OpenedRecord
  readonly partition: Partition
  counts: UsageCounts | null = null
  tokens = 0
  writtenTokens = 0
  writtenMs: number
  place = -1
  readonly #onEnd: (request: TrackedRequest) => void

  constructor(
    opened: OpenedRecord,
    partition: Partition,
    nowMs: number,
    onEnd: (request: TrackedRequest) => void,
  ) {
    this.opened = opened
    this.partition = partition
    this.writtenMs = nowMs
    this.#onEnd = onEnd
  }

  checkpoint(counts: UsageCounts): void {
    this.counts = counts
    this.tokens = counts.promptTokens + counts.completionTokens
  }

  end(): void {
    this.#onEnd(this)
  }
}

/** The open requests of one partition. */
type Partition = {
  readonly requests: Roster<TrackedRequest>
  renewedMs: number
  /** Whether a call is running: one at a time, so that calls do not pile up. */
  busy: boolean
  pausedUntilMs: number
}

/**
 * Stores the token counts of open requests now and then, so that a worker can settle them if this
 * process is gone, and renews the leases that show it is alive.
 */
export class Checkpoints {
  readonly #checkpoint: (call: ScriptCall) => Promise<unknown>
  readonly #reopen: (call: ScriptCall) => Promise<unknown>
  readonly #valkey: Pick<Valkey, 'call'>
  readonly #instance: string
  readonly #log: Log
  /** At most as many as there are partitions; empty ones stay. */
  readonly #partitions = new Map<number, Partition>()
  /** Partitions in which this process has a lease. */
  readonly #leased = new Set<number>()
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #onEmpty: (() => void) | undefined

  constructor(valkey: Pick<Valkey, 'call'>, instance: string, log: Log) {
    this.#checkpoint = scriptCaller(valkey, CHECKPOINT_SCRIPT)
    this.#reopen = scriptCaller(valkey, REOPEN_SCRIPT)
    this.#valkey = valkey
    this.#instance = instance
    this.#log = log
  }

  /** Tracks a request from its admission, which starts the lease, until it ends. */
  track(opened: OpenedRecord): TrackedUsage {
    const nowMs = performance.now()
    const partition = this.#partitionOf(opened, nowMs)
    const request = new TrackedRequest(opened, partition, nowMs, this.#untrack)
    partition.requests.add(request)
    this.#count += 1
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
    return request
  }

  #partitionOf({ organizationId }: OpenedRecord, nowMs: number): Partition {
    const number = partitionOf(organizationId)
    let partition = this.#partitions.get(number)
    if (partition === undefined) {
      partition = { requests: new Roster(), renewedMs: nowMs, busy: false, pausedUntilMs: 0 }
      this.#partitions.set(number, partition)
      this.#leased.add(number)
    } else if (partition.requests.size === 0) {
      partition.renewedMs = nowMs
      partition.pausedUntilMs = 0
    }
    return partition
  }

  readonly #untrack = (request: TrackedRequest): void => {
    if (!request.partition.requests.remove(request)) return
    this.#count -= 1
    if (this.#count > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#onEmpty?.()
  }

  /** Waits until no request is open. Returns false if some still are at the timeout. */
  async waitUntilEmpty(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#onEmpty = () => resolve(true)
    const timer = setTimeout(() => resolve(false), timeoutMs)
    return promise.finally(() => clearTimeout(timer))
  }

  /** Deletes the leases, so that no worker has to wait for them to expire. */
  async releaseLeases(): Promise<void> {
    const releases = [...this.#leased].map((number) =>
      this.#valkey.call('HDEL', [partitionKeys(number).leases, this.#instance]).catch(() => {}),
    )
    await Promise.all(releases)
  }

  #tick(): void {
    const nowMs = performance.now()
    for (const [number, partition] of this.#partitions) {
      if (partition.requests.size === 0) continue
      if (partition.busy || nowMs < partition.pausedUntilMs) continue
      const due = [...partition.requests].filter((request) => isDue(request, nowMs))
      if (due.length > 0 || nowMs - partition.renewedMs >= LEASE_MS)
        void this.#write(number, partition, due.slice(0, BATCH_MAX))
    }
  }

  async #write(
    number: number,
    partition: Partition,
    due: readonly TrackedRequest[],
  ): Promise<void> {
    partition.busy = true
    const { open, progress, leases } = partitionKeys(number)
    const sentMs = performance.now()
    const sent = due.map((request) => ({ request, tokens: request.tokens }))
    const args = due.flatMap(({ opened, counts }) => [opened.id, formatCounts(counts)])
    try {
      const call = { keys: [open, progress, leases], args: [this.#instance, ...args] }
      const missing = new Set((await this.#checkpoint(call)) as string[])
      partition.renewedMs = sentMs
      for (const { request, tokens } of sent) {
        request.writtenTokens = tokens
        request.writtenMs = sentMs
      }
      for (const { request } of sent) {
        // A request that was settled in the meantime is correctly not open.
        if (request.place !== -1 && missing.has(request.opened.id))
          await this.#reopenRequest(request)
      }
    } catch (error) {
      // Due checkpoints stay due, and are written once the server is available again.
      partition.pausedUntilMs = performance.now() + RETRY_DELAY_MS
      if (!(error instanceof ValkeyUnavailable))
        this.#log.error({ error: traceError(error) }, 'checkpoint write failed')
    } finally {
      partition.busy = false
    }
  }

  async #reopenRequest({ opened, counts }: TrackedRequest): Promise<void> {
    const keys = organizationKeys(opened.organizationId)
    const { open, progress, funds, key, running, settled } = keys
    const minute = Math.floor(Date.now() / MINUTE_MS)
    const recent = [minute - 1, minute, minute + 1].map((each) => `${settled}${each}`)
    const { id, organizationId, projectId, limitsId = '', reserved } = opened
    const record = [id, JSON.stringify(opened), formatCounts(counts)]
    const args = [...record, projectId, reserved, limitsId, organizationId]
    await this.#reopen({
      keys: [open, progress, funds, key, running, ...recent],
      args: [...args, ...runningArguments(opened)],
    })
  }
}

function isDue(request: TrackedRequest, nowMs: number): boolean {
  const { counts, tokens, writtenTokens, writtenMs } = request
  if (counts === null || tokens === writtenTokens) return false
  return tokens - writtenTokens >= CHECKPOINT_TOKENS || nowMs - writtenMs >= CHECKPOINT_MS
}

/** As `readProgress` in open-records.ts reads it. */
function formatCounts(counts: UsageCounts | null): string {
  if (counts === null) return '0,0,0,0'
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = counts
  return `${promptTokens},${cachedTokens},${completionTokens},${reasoningTokens}`
}

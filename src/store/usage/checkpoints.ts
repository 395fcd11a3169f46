import { traceError, type Log } from '../../lib/log.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { OpenedRecord, UsageCounts } from '../../tenancy/usage-record.ts'
import { readScript } from '../valkey/scripts.ts'
import { organizationKeys, partitionKeys, partitionOf } from '../valkey/keys.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import { ValkeyUnavailable } from '../valkey/valkey.ts'
import type { ScriptCall } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

const TICK_MS = 100

/** A stream is written down when it has come this far, or when this much time has passed. */
const CHECKPOINT_TOKENS = 32
const CHECKPOINT_MS = 1_000

/** Workers take a process for gone when it is silent for several times this long. */
const LEASE_MS = 5_000

/** Requests in one call: more would only hold up the server's others. */
const BATCH_MAX = 500

/** After a call that failed. */
const PAUSE_MS = 500

const CHECKPOINT_SCRIPT = readScript(import.meta.url, 'checkpoint.lua')
const REOPEN_SCRIPT = readScript(import.meta.url, 'reopen.lua')

/** An open request of this process. */
type Followed = {
  readonly opened: OpenedRecord
  counts: UsageCounts | null
  tokens: number
  writtenTokens: number
  writtenMs: number
}

/** The open requests of one partition. */
type Part = {
  readonly followed: Map<string, Followed>
  renewedMs: number
  /** Whether a call is under way: one at a time, so that nothing piles up. */
  busy: boolean
  pausedUntilMs: number
}

/**
 * Writes down now and then how far the open requests have come, so that others can settle them if
 * this process is gone, and says that it is not.
 */
export class Checkpoints {
  readonly #checkpoint: (call: ScriptCall) => Promise<unknown>
  readonly #reopen: (call: ScriptCall) => Promise<unknown>
  readonly #valkey: Pick<Valkey, 'call'>
  readonly #instance: string
  readonly #log: Log
  readonly #parts = new Map<number, Part>()
  /** Partitions in which this process has a lease. */
  readonly #leased = new Set<number>()
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #whenEmpty: (() => void) | undefined

  constructor(valkey: Pick<Valkey, 'call'>, instance: string, log: Log) {
    this.#checkpoint = scriptCaller(valkey, CHECKPOINT_SCRIPT)
    this.#reopen = scriptCaller(valkey, REOPEN_SCRIPT)
    this.#valkey = valkey
    this.#instance = instance
    this.#log = log
  }

  /**
   * From an admission, which begins the lease, until `forget`. Returns what notes how far it has
   * come, with every piece of every generation.
   */
  follow(opened: OpenedRecord): (counts: UsageCounts) => void {
    const nowMs = performance.now()
    const partition = partitionOf(opened.organizationId)
    let part = this.#parts.get(partition)
    if (part === undefined) {
      part = { followed: new Map(), renewedMs: nowMs, busy: false, pausedUntilMs: 0 }
      this.#parts.set(partition, part)
      this.#leased.add(partition)
    }
    const state = { counts: null, tokens: 0, writtenTokens: 0, writtenMs: nowMs }
    const followed: Followed = { opened, ...state }
    part.followed.set(opened.id, followed)
    this.#count += 1
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
    return (counts) => {
      followed.counts = counts
      followed.tokens = counts.promptTokens + counts.completionTokens
    }
  }

  forget({ id, organizationId }: OpenedRecord): void {
    const partition = partitionOf(organizationId)
    const part = this.#parts.get(partition)
    if (part?.followed.delete(id) !== true) return
    if (part.followed.size === 0) this.#parts.delete(partition)
    this.#count -= 1
    if (this.#count > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#whenEmpty?.()
  }

  /** When no request is open any more; false if some still are when timeout is over. */
  async emptied(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#whenEmpty = () => resolve(true)
    const timer = setTimeout(() => resolve(false), timeoutMs)
    return promise.finally(() => clearTimeout(timer))
  }

  /** Takes the leases back, so that nobody has to find out that the process is gone. */
  async leave(): Promise<void> {
    const leaving = [...this.#leased].map((partition) =>
      this.#valkey.call('HDEL', [partitionKeys(partition).leases, this.#instance]).catch(() => {}),
    )
    await Promise.all(leaving)
  }

  #tick(): void {
    const nowMs = performance.now()
    for (const [partition, part] of this.#parts) {
      if (part.busy || nowMs < part.pausedUntilMs) continue
      const due = [...part.followed.values()].filter((each) => isDue(each, nowMs))
      if (due.length > 0 || nowMs - part.renewedMs >= LEASE_MS)
        void this.#write(partition, part, due.slice(0, BATCH_MAX))
    }
  }

  async #write(partition: number, part: Part, due: readonly Followed[]): Promise<void> {
    part.busy = true
    const { open, progress, leases } = partitionKeys(partition)
    const sentMs = performance.now()
    const sent = due.map((each) => ({ each, tokens: each.tokens, told: tell(each.counts) }))
    const args = sent.flatMap(({ each, told }) => [each.opened.id, told])
    try {
      const call = { keys: [open, progress, leases], args: [this.#instance, ...args] }
      const missing = new Set((await this.#checkpoint(call)) as string[])
      part.renewedMs = sentMs
      for (const { each, tokens } of sent) {
        each.writtenTokens = tokens
        each.writtenMs = sentMs
      }
      for (const { each } of sent) {
        // One that was settled in the meantime is rightly not open.
        const isOurs = part.followed.has(each.opened.id)
        if (missing.has(each.opened.id) && isOurs) await this.#openAgain(each)
      }
    } catch (error) {
      // What is due stays due, and is written when the server is back.
      part.pausedUntilMs = performance.now() + PAUSE_MS
      if (!(error instanceof ValkeyUnavailable))
        this.#log.error({ error: traceError(error) }, 'checkpoints could not be written')
    } finally {
      part.busy = false
    }
  }

  async #openAgain({ opened, counts }: Followed): Promise<void> {
    const { open, progress, funds, settled } = organizationKeys(opened.organizationId)
    const minute = Math.floor(Date.now() / MINUTE_MS)
    const late = [minute - 1, minute, minute + 1].map((each) => `${settled}${each}`)
    const { id, projectId, reserved } = opened
    const args = [id, JSON.stringify(opened), tell(counts), projectId, reserved]
    await this.#reopen({ keys: [open, progress, funds, ...late], args })
  }
}

function isDue({ counts, tokens, writtenTokens, writtenMs }: Followed, nowMs: number): boolean {
  if (counts === null || tokens === writtenTokens) return false
  return tokens - writtenTokens >= CHECKPOINT_TOKENS || nowMs - writtenMs >= CHECKPOINT_MS
}

function tell(counts: UsageCounts | null): string {
  if (counts === null) return '0,0,0,0'
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = counts
  return `${promptTokens},${cachedTokens},${completionTokens},${reasoningTokens}`
}

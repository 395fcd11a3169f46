import { setTimeout as pause } from 'node:timers/promises'
import { traceError, type Log } from '../../lib/log.ts'

/** What one mechanism of the fleet tells other processes with each beat, and learns from them. */
export type BeatPart = {
  /**
   * What to tell; undefined if there is nothing. `all` asks for everything, because the other side
   * may not know what was told before. What is given back here must not be used from now on.
   */
  report(all: boolean): object | undefined
  /** The part of the reply; undefined if there was none. Not called if the beat failed. */
  accept(reply: unknown): void
  /** Whether somebody waits for the reply, so that the next beat comes sooner. */
  readonly isUrgent?: boolean
}

/** Sends a report and returns the reply; see `store/fleet/beat.lua`. Rejects if that failed. */
export type BeatExchange = (report: object) => Promise<unknown>

export type Beat = AsyncDisposable & {
  /** Beats until it is disposed of. Resolves after the first beat, whether or not it succeeded. */
  start(): Promise<void>
  /** Beats as soon as the one under way has ended, instead of waiting for the interval. */
  soon(): void
  /** The same if there are other processes; alone, it would be of no use. */
  hurry(): void
  /** The next reply whose report was not yet sent. */
  next(): Promise<void>
  /** Whether the last successful beat is so recent that what it granted is still ours. */
  readonly isFresh: boolean
  /** The number of processes, this one included. */
  readonly processes: number
}

type Reply = {
  readonly lost?: true
  readonly processes: number
  readonly epoch: number
  readonly [part: string]: unknown
}

const INTERVAL_MS = 250
const URGENT_INTERVAL_MS = 50
/** Others take over what a process holds after 5 s of silence. */
const FRESH_MS = 4_000

export function createBeat(
  exchange: BeatExchange,
  process: string,
  parts: Readonly<Record<string, BeatPart>>,
  log: Log,
): Beat {
  return new RunningBeat(exchange, process, parts, log)
}

class RunningBeat implements Beat {
  processes = 1
  readonly #exchange: BeatExchange
  readonly #process: string
  readonly #parts: Readonly<Record<string, BeatPart>>
  readonly #log: Log
  #ended: Promise<void> | undefined
  #stopping = false
  #sentMs = -Infinity
  #epoch = -1
  /** Whether the next report tells everything. */
  #all = true
  #known = false
  /** Whether the last beat failed, so that a lasting failure is logged once. */
  #failing = false
  #wake = new AbortController()
  #waiting = Promise.withResolvers<void>()

  constructor(
    exchange: BeatExchange,
    process: string,
    parts: Readonly<Record<string, BeatPart>>,
    log: Log,
  ) {
    this.#exchange = exchange
    this.#process = process
    this.#parts = parts
    this.#log = log
  }

  start(): Promise<void> {
    const first = this.#waiting.promise
    this.#ended = this.#run()
    return first
  }

  get isFresh(): boolean {
    return performance.now() - this.#sentMs < FRESH_MS
  }

  soon(): void {
    this.#wake.abort()
  }

  hurry(): void {
    if (this.processes > 1) this.soon()
  }

  next(): Promise<void> {
    this.soon()
    return this.#waiting.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    this.soon()
    await this.#ended
    await this.#exchange({ process: this.#process, leaving: true }).catch(() => undefined)
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#wake = new AbortController()
      const told = this.#waiting
      this.#waiting = Promise.withResolvers()
      await this.#beat()
      told.resolve()
      // Without others nothing would come sooner.
      const urgent = this.processes > 1 && Object.values(this.#parts).some((part) => part.isUrgent)
      const { signal } = this.#wake
      const waitMs = urgent ? URGENT_INTERVAL_MS : INTERVAL_MS
      if (!this.#stopping) await pause(waitMs, undefined, { signal }).catch(() => undefined)
    }
    this.#waiting.resolve()
  }

  async #beat(): Promise<void> {
    const all = this.#all
    const report: Record<string, unknown> = { process: this.#process, known: this.#known }
    for (const [name, part] of Object.entries(this.#parts)) report[name] = part.report(all)
    const sentMs = performance.now()
    try {
      this.#accept((await this.#exchange(report)) as Reply, sentMs, all)
    } catch (error) {
      // Unavailable: what is held ends by itself. Part of the report may have arrived.
      this.#all = true
      if ((error as Error).name !== 'ValkeyUnavailable' && !this.#failing)
        this.#log.error({ error: traceError(error) }, 'beat of the fleet failed')
      this.#failing = true
    }
  }

  #accept(reply: Reply, sentMs: number, all: boolean): void {
    this.#sentMs = sentMs
    this.#known = true
    this.#failing = false
    this.processes = reply.processes
    this.#all = reply.lost === true || (reply.epoch !== this.#epoch && !all)
    this.#epoch = reply.epoch
    for (const [name, part] of Object.entries(this.#parts)) part.accept(reply[name])
    if (this.#all) this.soon()
  }
}

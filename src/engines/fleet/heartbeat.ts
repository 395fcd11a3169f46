import { traceError, type Log } from '../../lib/log.ts'

/** What a heartbeat tells. */
export type Telling = {
  /** Everything, because the fleet may not know what was told before. */
  readonly whole: boolean
  /** Also what is told only now and then: figures, elections, what others should know some time. */
  readonly figures: boolean
}

/** What one mechanism of the fleet tells other processes with a heartbeat, and learns from them. */
export type HeartbeatPart = {
  /** What to tell; undefined for nothing. What is given back here must not be used from now on. */
  report(telling: Telling): object | undefined
  /** The part of the reply; undefined if there was none. Not called if the heartbeat failed. */
  accept(reply: unknown): void
  /** Whether somebody waits for the reply, so that the next heartbeat comes sooner. */
  readonly isUrgent?: boolean
}

/** Sends a report and returns the reply, or rejects; see `store/fleet/heartbeat.lua`. */
export type HeartbeatExchange = (report: object) => Promise<unknown>

export type Heartbeat = AsyncDisposable & {
  /** Runs until it is disposed of. Resolves after the first heartbeat, even if that failed. */
  start(): Promise<void>
  /** Sends the next heartbeat now, or as soon as the one under way has ended. */
  soon(): void
  /** The same if there are other processes; alone, it would be of no use. */
  hurry(): void
  /** The same, with figures. */
  hurryFigures(): void
  /** The next reply whose report was not yet sent. */
  next(): Promise<void>
  /** Whether the last reply is so recent that what was granted is still ours. */
  readonly isFresh: boolean
  /** The number of processes, this one included. */
  readonly processes: number
}

type Reply = {
  readonly lost?: true
  readonly processes?: number
  readonly [part: string]: unknown
}

export const INTERVAL_MS = 250
export const URGENT_INTERVAL_MS = 50
/** Others take over what a process holds after 5 s of silence. */
const FRESH_MS = 4_000
/** So much of the time between two reports with figures for each process; few of them hear more. */
export const FIGURES_MS_PER_PROCESS = 8
export const FIGURES_MS_MAX = 500
/** So many processes make a heartbeat wait one more millisecond, to carry more requests. */
export const PROCESSES_PER_GAP_MS = 8

export function createHeartbeat(
  exchange: HeartbeatExchange,
  process: string,
  parts: Readonly<Record<string, HeartbeatPart>>,
  log: Log,
): Heartbeat {
  return new RunningHeartbeat(exchange, process, parts, log)
}

class RunningHeartbeat implements Heartbeat {
  processes = 1
  readonly #exchange: HeartbeatExchange
  readonly #process: string
  readonly #parts: Readonly<Record<string, HeartbeatPart>>
  readonly #log: Log
  #ended: Promise<void> | undefined
  #stopping = false
  /** When the last report was sent that had a reply. */
  #sentMs = -Infinity
  #begunMs = -Infinity
  #figuresMs = -Infinity
  #number = 0
  /** Whether the next report tells everything. */
  #whole = true
  #known = false
  /** Whether the last heartbeat failed, so that a lasting failure is logged once. */
  #failing = false
  #isWanted = false
  #wake: () => void = () => undefined
  #waiting = Promise.withResolvers<void>()

  constructor(
    exchange: HeartbeatExchange,
    process: string,
    parts: Readonly<Record<string, HeartbeatPart>>,
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
    this.#isWanted = true
    this.#wake()
  }

  hurry(): void {
    if (this.processes > 1) this.soon()
  }

  hurryFigures(): void {
    this.#figuresMs = -Infinity
    this.hurry()
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
      this.#isWanted = false
      const told = this.#waiting
      this.#waiting = Promise.withResolvers()
      await this.#heartbeat()
      told.resolve()
      if (!this.#stopping) await this.#rest()
    }
    this.#waiting.resolve()
  }

  /** Until the next heartbeat is due or wanted, but at least for the gap. */
  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    // Without a connection a heartbeat fails at once, and would take all the time of the process.
    const gapMs = this.#failing
      ? URGENT_INTERVAL_MS
      : Math.floor(this.processes / PROCESSES_PER_GAP_MS)
    let timer: NodeJS.Timeout | undefined
    const restFor = (ms: number) => {
      clearTimeout(timer)
      const leftMs = this.#begunMs + Math.max(ms, gapMs) - performance.now()
      if (leftMs > 0) timer = setTimeout(resolve, leftMs)
      else resolve()
    }
    this.#wake = () => restFor(0)
    // Without others nothing would come sooner.
    const urgent = this.processes > 1 && Object.values(this.#parts).some((part) => part.isUrgent)
    if (this.#isWanted) restFor(0)
    else restFor(urgent ? URGENT_INTERVAL_MS : INTERVAL_MS)
    await promise
    this.#wake = () => undefined
  }

  #takeTelling(): Telling {
    const everyMs = Math.min(FIGURES_MS_PER_PROCESS * this.processes, FIGURES_MS_MAX)
    const whole = this.#whole || !this.isFresh
    const figures = whole || this.#begunMs >= this.#figuresMs + everyMs
    if (figures) this.#figuresMs = this.#begunMs
    return { whole, figures }
  }

  async #heartbeat(): Promise<void> {
    this.#begunMs = performance.now()
    const sentMs = this.#begunMs
    const telling = this.#takeTelling()
    this.#number += 1
    const own = { process: this.#process, number: this.#number, known: this.#known }
    const report: Record<string, unknown> = { ...own, figures: telling.figures || undefined }
    for (const [name, part] of Object.entries(this.#parts)) report[name] = part.report(telling)
    try {
      this.#accept((await this.#exchange(report)) as Reply, sentMs)
    } catch (error) {
      // Unavailable: what is held ends by itself. The report may have arrived all the same, so that
      // only a whole one says what this process holds.
      this.#whole = true
      if ((error as Error).name !== 'ValkeyUnavailable' && !this.#failing)
        this.#log.error({ error: traceError(error) }, 'heartbeat of the fleet failed')
      this.#failing = true
    }
  }

  #accept(reply: Reply, sentMs: number): void {
    this.#sentMs = sentMs
    this.#known = true
    this.#failing = false
    this.processes = reply.processes ?? this.processes
    this.#whole = reply.lost === true
    for (const [name, part] of Object.entries(this.#parts)) part.accept(reply[name])
    if (this.#whole) this.soon()
  }
}

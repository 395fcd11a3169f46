import { crc32 } from 'node:zlib'
import type { Log } from '../../../lib/log.ts'
import type { HeartbeatPart, Telling } from '../heartbeat.ts'
import {
  isServing,
  type EngineEvent,
  type StateName,
  type StatesReply,
  type StatesReport,
  type ToldState,
} from './engine-states.ts'
import { assumeReady, hasReturned, learnState, tellKnown, type KnownState } from './known-state.ts'
import { neededEngines } from './needed-engines.ts'

/** What this process knows of an engine's state. */
export type EngineView = {
  readonly state: StateName
  readonly why: string
  readonly level: number
  /** How many generations may run on it. */
  readonly limit: number
  readonly sinceMs: number
  readonly probedMs: number | undefined
  /** What an operator ordered, as `draining`. */
  readonly order: string | undefined
  /** How often this process had it ejected. */
  readonly ejections: number
  /** Whether this process saw it fail, and the others do not know yet. */
  readonly isBlocked: boolean
}

/** The states of all engines, which the processes have in common. */
export type FleetStates = {
  readonly part: HeartbeatPart
  /** `engine` is its name, its server and its model, separated by spaces. */
  view(engine: string): EngineView
  add(engine: string, slots: number): void
  drop(engine: string): void
  report(event: EngineEvent): void
}

export type StatesOptions = {
  /** Checks an engine and reports the result. */
  readonly check: (engine: string) => void
  /** An engine serves again, after the process knew that it did not. */
  readonly onReturned?: ((engine: string) => void) | undefined
  /** The engines of each model. */
  readonly pools: () => Iterable<readonly string[]>
  /** The next heartbeat should not wait. */
  readonly soon?: (() => void) | undefined
  readonly log?: Pick<Log, 'warn'> | undefined
  readonly now?: () => number
}

/** How often all engines are named, so that what nobody uses is forgotten. */
const NAMED_MS = 60_000
/** Faults beyond it say nothing new. */
const EVENTS_MAX = 256
/** Faults of requests ask for a heartbeat at most this often. */
const SOON_MS = 250

/** A request may still ask for an engine that has left the list. */
const GONE: KnownState = { ...assumeReady(0), state: 'ejected', settled: 'ejected', why: 'gone' }

export function createFleetStates(options: StatesOptions): FleetStates {
  return new SharedStates(options)
}

/** Enough to tell organizations apart. */
export function shortHash(organizationId: string): string {
  return crc32(organizationId).toString(36)
}

class SharedStates implements FleetStates {
  readonly part: HeartbeatPart
  readonly #options: StatesOptions
  readonly #now: () => number
  readonly #known = new Map<string, KnownState>()
  /** Made from the rest when they are needed, because every request reads them. */
  readonly #views = new Map<string, EngineView>()
  readonly #slots = new Map<string, number>()
  #orders: Readonly<Record<string, string>> = {}
  #ordersVersion = ''
  /** Engines that are new here, until it is known how they are elsewhere. */
  readonly #joined = new Set<string>()
  #pending: EngineEvent[] = []
  /** Sent without a reply yet. */
  #sent: readonly EngineEvent[] = []
  readonly #blocked = new Set<string>()
  #version = 0
  #namedMs = -Infinity
  /** Whether the report that was sent names all engines. */
  #isNaming = false
  #soonMs = -Infinity

  constructor(options: StatesOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.part = {
      report: (telling) => this.#takeReport(telling),
      accept: (reply) => {
        if (reply !== undefined) this.#acceptShared(reply as StatesReply)
      },
    }
  }

  add(engine: string, slots: number): void {
    this.#slots.set(engine, slots)
    if (this.#known.has(engine)) return
    this.#known.set(engine, assumeReady(this.#now()))
    // The next report asks for what the others know of it.
    this.#joined.add(engine)
    this.#namedMs = -Infinity
  }

  drop(engine: string): void {
    this.#slots.delete(engine)
    this.#known.delete(engine)
    this.#views.delete(engine)
    this.#blocked.delete(engine)
    this.#joined.delete(engine)
  }

  view(engine: string): EngineView {
    const view = this.#views.get(engine) ?? this.#describe(engine)
    this.#views.set(engine, view)
    return view
  }

  #describe(engine: string): EngineView {
    const known = this.#known.get(engine) ?? GONE
    const { limit, untilMs: _untilMs, settled: _settled, ...view } = known
    const more = { order: this.#orders[nameOf(engine)], isBlocked: this.#blocked.has(engine) }
    return { ...view, ...more, limit: limit === false ? Infinity : limit }
  }

  report(event: EngineEvent): void {
    const { engine, kind } = event
    const known = this.#known.get(engine)
    if (known === undefined || this.#isNoNews(event, known)) return
    this.#add(event)
    if (kind === 'refused' || kind === 'misconfigured') this.#blocked.add(engine)
    this.#views.delete(engine)
    if (kind !== 'succeeded') this.#askSoon(kind === 'fault')
  }

  /** Whether the event cannot change anything. */
  #isNoNews({ kind, engine }: EngineEvent, known: KnownState): boolean {
    if (kind === 'checked') return false
    if (kind === 'succeeded') return known.state !== 'warming'
    return !isServing(known) || this.#blocked.has(engine)
  }

  #add(event: EngineEvent): void {
    const { kind, engine } = event
    const last = this.#pending.findLastIndex((other) => other.engine === engine)
    const before = this.#pending[last]
    if (kind === 'checked' && event.result === 'failed')
      this.#pending.push({ ...event, pools: this.#poolsOf(engine) })
    else if (kind === 'succeeded' && before?.kind === 'succeeded')
      this.#pending[last] = { ...event, count: before.count + event.count }
    else if (kind !== 'fault' || this.#pending.length < EVENTS_MAX) this.#pending.push(event)
  }

  #poolsOf(engine: string): (readonly string[])[] {
    return [...this.#options.pools()].filter((pool) => pool.includes(engine))
  }

  #askSoon(isFault: boolean): void {
    const nowMs = this.#now()
    if (isFault && nowMs < this.#soonMs + SOON_MS) return
    this.#soonMs = nowMs
    this.#options.soon?.()
  }

  #takeReport({ whole, figures }: Telling): StatesReport | undefined {
    const nowMs = this.#now()
    const isNaming = whole || nowMs >= this.#namedMs + NAMED_MS
    if (!figures && !isNaming && this.#pending.length === 0) return undefined
    this.#isNaming = isNaming
    if (isNaming) this.#namedMs = nowMs
    const events = [...this.#sent, ...this.#pending]
    this.#sent = events
    this.#pending = []
    const named = isNaming ? { engines: [...this.#known.keys()] } : {}
    const version = isNaming ? 0 : this.#version
    return { version, events, orders: this.#ordersVersion, ...named }
  }

  #acceptShared(reply: StatesReply): void {
    this.#sent = []
    this.#blocked.clear()
    for (const { kind, engine } of this.#pending)
      if (kind === 'refused' || kind === 'misconfigured') this.#blocked.add(engine)
    this.#version = reply.version
    this.#orders = reply.orders ?? this.#orders
    this.#ordersVersion = reply.orders_version ?? this.#ordersVersion
    if (this.#isNaming) this.#introduce(reply)
    this.#adopt(reply)
  }

  /** Tells of engines that the others do not know. */
  #introduce({ engines }: StatesReply): void {
    const unknown = [...this.#known.keys()].filter((engine) => engines[engine] === undefined)
    for (const engine of unknown) {
      const mates = this.#poolsOf(engine).flat()
      // The first engines of a model have nobody who could carry the load meanwhile.
      const isNew = mates.some((mate) => {
        const told = engines[mate]
        return told !== undefined && isServing(told)
      })
      const slots = this.#slots.get(engine) ?? 1
      this.#pending.push(isNew ? { kind: 'new', engine, slots } : this.#tell(engine))
    }
    const isOut = (engine: string) => engines[engine] !== undefined && !isServing(engines[engine])
    const joined = [...this.#joined].filter(isOut)
    this.#joined.clear()
    for (const engine of joined) this.#pending.push({ kind: 'joined', engine })
    if (unknown.length + joined.length > 0) this.#options.soon?.()
  }

  #tell(engine: string): EngineEvent {
    const known = this.#known.get(engine)
    if (known === undefined) throw new Error('an engine of the fleet has no state')
    return { kind: 'known', engine, told: tellKnown(known, this.#now()) }
  }

  #adopt({ engines, changed, checks }: StatesReply): void {
    const own = new Set(Object.values(changed))
    this.#views.clear()
    for (const [engine, told] of Object.entries(engines)) this.#learn(engine, told, own.has(engine))
    for (const engine of Object.values(checks)) this.#check(engine)
    const isOrdered = (engine: string) => this.#orders[nameOf(engine)] !== undefined
    const stateOf = (engine: string) => (isOrdered(engine) ? undefined : this.#known.get(engine))
    for (const engine of neededEngines(this.#options.pools(), stateOf))
      this.report({ kind: 'needed', engine })
  }

  /** Another process may still know an engine that has left this one. */
  #check(engine: string): void {
    const nothing = { why: '', running: 0, slots: 0 }
    if (this.#known.has(engine)) queueMicrotask(() => this.#options.check(engine))
    else this.#pending.push({ kind: 'checked', engine, result: 'absent', ...nothing })
  }

  /** `isOwn`: this process made it change. */
  #learn(engine: string, told: ToldState, isOwn: boolean): void {
    const before = this.#known.get(engine)
    if (before === undefined) return
    const known = learnState(before, told, isOwn, this.#now())
    this.#known.set(engine, known)
    if (isOwn && known.settled !== before.settled) this.#logChange(engine, told)
    if (hasReturned(before, known)) this.#options.onReturned?.(engine)
  }

  #logChange(engine: string, { state, why }: ToldState): void {
    const { log } = this.#options
    log?.warn({ engine: nameOf(engine), state, reason: why }, 'engine state changed')
  }
}

function nameOf(engine: string): string {
  return engine.split(' ', 1)[0] ?? engine
}

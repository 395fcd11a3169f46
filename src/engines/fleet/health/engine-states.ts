/** What an engine is used for, decided once for all processes. */
export type StateName = 'ready' | 'suspect' | 'ejected' | 'trial' | 'warming' | 'misconfigured'

/** The state of an engine as it is sent: times count from now. */
export type ToldState = {
  readonly state: StateName
  readonly why: string
  /** How often it was ejected, less one for each minute without an ejection. */
  readonly level: number
  /** Checks since it was found misconfigured. */
  readonly tries: number
  /** How many generations may run on it while it warms up. */
  readonly limit: number | false
  readonly ageMs: number
  /** Until something happens to it by itself. */
  readonly leftMs: number
  /** Since its last check. */
  readonly probedMs: number | false
}

export type CheckResult = 'passed' | 'failed' | 'refused' | 'misconfigured' | 'busy'

/** What a process sees of an engine. */
export type EngineEvent = { readonly engine: string } & (
  | { readonly kind: 'known'; readonly told: ToldState }
  | { readonly kind: 'new'; readonly slots: number }
  | { readonly kind: 'needed' }
  | { readonly kind: 'refused' | 'misconfigured'; readonly why: string }
  | { readonly kind: 'fault'; readonly why: string; readonly organization: string }
  | { readonly kind: 'succeeded'; readonly count: number; readonly slots: number }
  | CheckedEvent
)

export type CheckedEvent = {
  readonly kind: 'checked'
  readonly result: CheckResult
  readonly why: string
  /** Generations that run on it besides the check. */
  readonly running: number
  readonly slots: number
  /** Whether too many engines are ejected for this one to be ejected too. */
  readonly keep: boolean
}

export type StatesReport = {
  readonly version: number
  readonly events: readonly EngineEvent[]
  readonly engines?: readonly string[]
}

export type StatesReply = {
  readonly version: number
  readonly engines: Readonly<Record<string, ToldState>>
  /** Empty lists arrive as empty objects. */
  readonly checks: readonly string[] | Readonly<Record<string, never>>
  readonly changed: readonly string[] | Readonly<Record<string, never>>
  readonly orders: Readonly<Record<string, string>>
}

type State = {
  readonly engine: string
  state: StateName
  why: string
  level: number
  tries: number
  limit: number | false
  successes: number
  sinceMs: number
  /** When it last came back. */
  upMs: number
  dueMs: number | false
  probedMs: number | false
  checking: boolean
  wanted: boolean
  from: StateName
  organizations: Map<string, number>
}

const EJECTED_MS = 5_000
const EJECTED_MS_MAX = 60_000
/** After so long without an ejection the next one is shorter. */
const FADED_MS = 60_000
/** Until the next trial of an engine that refused the last one, which costs nothing. */
const REFUSED_MS = 2_000
const MISCONFIGURED_MS_MAX = 30_000
/** Faults of requests are forgotten after this time. */
const SUSPECT_MS = 60_000
/** The shortest time between two checks that requests cause. */
const CHECK_MS = 5_000
const CHECKED_MS = 35_000
const BUSY_MS = 1_000
/** Faults of one organization, or organizations with one each, that lead to a check. */
const FAULTS_MAX = 3
const ORGANIZATIONS_MAX = 2
const SUCCESSES = 5

/**
 * Decides the states of engines for one process, without the others: what
 * `store/fleet/beat-states.lua` does for all. A test compares the two.
 */
export class EngineStates {
  readonly #states = new Map<string, State>()
  #nowMs = 0
  #changed = new Set<string>()
  #version = 0

  /** When it should be called again, whatever happens. */
  get nextDueMs(): number {
    const times = [...this.#states.values()].map(({ dueMs }) => dueMs || Infinity)
    return Math.min(...times)
  }

  apply({ events }: StatesReport, nowMs: number): StatesReply {
    this.#nowMs = nowMs
    this.#changed = new Set()
    const touched = new Set<string>()
    for (const event of events) if (this.#handle(event)) touched.add(event.engine)
    const checks = []
    for (const [engine, state] of this.#states)
      if (state.dueMs !== false && state.dueMs <= nowMs) {
        touched.add(engine)
        if (this.#act(state)) checks.push(engine)
      }
    const told = [...touched].map((engine) => [engine, this.#tell(engine)] as const)
    if (touched.size > 0) this.#version += 1
    return {
      version: this.#version,
      engines: Object.fromEntries(told),
      checks,
      changed: [...this.#changed],
      orders: {},
    }
  }

  #tell(engine: string): ToldState {
    const state = this.#states.get(engine)
    if (state === undefined) throw new Error('an unknown engine')
    const { why, level, tries, limit, sinceMs, dueMs, probedMs } = state
    return {
      state: state.state,
      why,
      level,
      tries,
      limit,
      ageMs: this.#nowMs - sinceMs,
      leftMs: dueMs === false ? 0 : Math.max(0, dueMs - this.#nowMs),
      probedMs: probedMs !== false && this.#nowMs - probedMs,
    }
  }

  #enter(state: State, name: StateName, why: string): void {
    if (state.state !== name) {
      state.sinceMs = this.#nowMs
      this.#changed.add(state.engine)
    }
    const reset = { organizations: new Map<string, number>(), wanted: false, checking: false }
    Object.assign(state, { state: name, why, limit: false, successes: 0, dueMs: false, ...reset })
  }

  #add(engine: string): State {
    const common = { level: 0, tries: 0, limit: false, successes: 0, dueMs: false } as const
    const checks = { probedMs: false, checking: false, wanted: false, from: 'ejected' } as const
    const times = { sinceMs: this.#nowMs, upMs: this.#nowMs, organizations: new Map() }
    const state: State = { engine, state: 'ready', why: '', ...common, ...checks, ...times }
    this.#changed.add(engine)
    this.#states.set(engine, state)
    return state
  }

  /** Returns whether the engine is known. */
  #handle(event: EngineEvent): boolean {
    const { engine } = event
    const state = this.#states.get(engine)
    if (event.kind === 'known') {
      if (state === undefined) this.#restore(this.#add(engine), event.told)
      return true
    }
    if (event.kind === 'new') {
      if (state === undefined) this.#warm(this.#add(engine), 1, event.slots, 'new')
      return true
    }
    if (state === undefined) return false
    if (event.kind === 'succeeded') this.#countSuccesses(state, event.count, event.slots)
    else if (event.kind === 'checked') this.#endCheck(state, event)
    else if (isServing(state)) {
      // As if its successes had filled it.
      if (event.kind === 'needed') this.#countSuccesses(state, SUCCESSES, 0)
      else if (event.kind === 'fault') this.#countFault(state, event.why, event.organization)
      else if (event.kind === 'refused') this.#eject(state, event.why)
      else this.#misconfigure(state, event.why)
    }
    return true
  }

  #restore(state: State, told: ToldState): void {
    const { why, level, tries, limit } = told
    Object.assign(state, { why, level, tries, limit, state: told.state })
    this.#changed.delete(state.engine)
    state.sinceMs = state.upMs = this.#nowMs - told.ageMs
    if (state.state === 'trial') state.state = 'ejected'
    if (!isServing(state) || state.state === 'suspect') state.dueMs = this.#nowMs + told.leftMs
  }

  #keepOut(state: State, level: number, why: string): void {
    this.#enter(state, 'ejected', why)
    state.level = level
    state.dueMs = this.#nowMs + Math.min(EJECTED_MS * level, EJECTED_MS_MAX)
  }

  #eject(state: State, why: string): void {
    const faded = Math.floor((this.#nowMs - state.upMs) / FADED_MS)
    this.#keepOut(state, Math.max(0, state.level - faded) + 1, why)
  }

  #misconfigure(state: State, why: string): void {
    this.#enter(state, 'misconfigured', why)
    state.tries += 1
    state.dueMs = this.#nowMs + Math.min(CHECK_MS * state.tries, MISCONFIGURED_MS_MAX)
  }

  #warm(state: State, limit: number, slots: number, why: string): void {
    this.#enter(state, limit >= slots ? 'ready' : 'warming', limit >= slots ? '' : why)
    if (limit < slots) state.limit = limit
  }

  #countFault(state: State, why: string, organization: string): void {
    if (state.state === 'ready') this.#enter(state, 'suspect', why)
    state.successes = 0
    const { organizations } = state
    if (organizations.has(organization) || organizations.size < ORGANIZATIONS_MAX)
      organizations.set(organization, (organizations.get(organization) ?? 0) + 1)
    state.wanted ||=
      organizations.size >= ORGANIZATIONS_MAX ||
      (organizations.get(organization) ?? 0) >= FAULTS_MAX
    if (state.checking) return
    const earliestMs = state.probedMs === false ? this.#nowMs : state.probedMs + CHECK_MS
    if (state.wanted) state.dueMs = Math.max(this.#nowMs, earliestMs)
    else if (state.state === 'suspect') state.dueMs = this.#nowMs + SUSPECT_MS
  }

  #countSuccesses(state: State, count: number, slots: number): void {
    if (state.state !== 'warming' || state.limit === false) return
    state.successes += count
    if (state.successes < SUCCESSES) return
    state.successes = 0
    state.limit *= 2
    if (state.limit >= slots) this.#enter(state, 'ready', '')
  }

  #endCheck(state: State, event: CheckedEvent): void {
    if (!state.checking) return
    state.checking = false
    const { result, why, keep } = event
    if (state.state === 'trial') this.#endTrial(state, event)
    else if (result === 'passed' && state.state === 'suspect') this.#enter(state, 'ready', '')
    else if (result === 'passed' || (result === 'failed' && keep)) {
      Object.assign(state, { organizations: new Map(), wanted: false, dueMs: false })
      if (state.state !== 'suspect') return
      state.why = why
      state.dueMs = this.#nowMs + SUSPECT_MS
    } else if (result === 'busy') state.dueMs = this.#nowMs + BUSY_MS
    else if (result === 'misconfigured') this.#misconfigure(state, why)
    else this.#eject(state, why)
  }

  #endTrial(state: State, { result, why, running, slots }: CheckedEvent): void {
    if (result === 'passed') {
      state.upMs = this.#nowMs
      state.tries = 0
      this.#warm(state, Math.max(1, running), slots, 'trial passed')
    } else if (result === 'busy') {
      this.#enter(state, state.from, state.why)
      state.dueMs = this.#nowMs + BUSY_MS
    } else if (result === 'refused') {
      this.#keepOut(state, Math.max(1, state.level), why)
      state.dueMs = this.#nowMs + REFUSED_MS
    } else if (result === 'misconfigured') this.#misconfigure(state, why)
    else this.#keepOut(state, state.level + 1, why)
  }

  /** Returns whether the engine has to be checked. */
  #act(state: State): boolean {
    if (state.state === 'suspect' && !state.wanted) {
      this.#enter(state, 'ready', '')
      return false
    }
    if (state.state === 'ejected' || state.state === 'misconfigured') {
      state.from = state.state
      this.#enter(state, 'trial', state.why)
    }
    state.checking = true
    state.probedMs = this.#nowMs
    state.dueMs = this.#nowMs + CHECKED_MS
    return true
  }
}

export function isServing({ state }: { readonly state: StateName }): boolean {
  return state === 'ready' || state === 'suspect' || state === 'warming'
}

import { isServing, type StateName, type ToldState } from './engine-states.ts'

/** What this process knows of an engine's state, in times of its own clock. */
export type KnownState = Omit<ToldState, 'ageMs' | 'leftMs' | 'probedMs'> & {
  readonly sinceMs: number
  readonly untilMs: number
  readonly probedMs: number | undefined
  /** Before the trial, during one. */
  readonly settled: StateName
  /** How often this process had it ejected. */
  readonly ejections: number
}

const READY = { state: 'ready', why: '', level: 0, tries: 0, limit: false } as const

/** Until the other processes say more. */
export function assumeReady(nowMs: number): KnownState {
  const times = { sinceMs: nowMs, untilMs: nowMs, probedMs: undefined }
  return { ...READY, ...times, settled: 'ready', ejections: 0 }
}

/** As it is sent to other processes. */
export function tellKnown(known: KnownState, nowMs: number): ToldState {
  const { sinceMs, untilMs, probedMs, settled: _settled, ejections: _ejections, ...told } = known
  return {
    ...told,
    ageMs: nowMs - sinceMs,
    leftMs: Math.max(0, untilMs - nowMs),
    probedMs: probedMs !== undefined && nowMs - probedMs,
  }
}

/** `isOwn`: this process made it change. */
export function learnState(
  before: KnownState,
  told: ToldState,
  isOwn: boolean,
  nowMs: number,
): KnownState {
  const { ageMs, leftMs, probedMs, ...state } = told
  const probed = probedMs === false ? undefined : nowMs - probedMs
  const times = { sinceMs: nowMs - ageMs, untilMs: nowMs + leftMs, probedMs: probed }
  // A trial that fails changes nothing.
  const settled = told.state === 'trial' ? before.settled : told.state
  const isEjected = isOwn && settled === 'ejected' && before.settled !== 'ejected'
  return { ...state, ...times, settled, ejections: before.ejections + (isEjected ? 1 : 0) }
}

/** Whether an engine that served nobody serves again. */
export function hasReturned(before: KnownState, now: KnownState): boolean {
  return isServing(now) && !isServing({ state: before.settled })
}

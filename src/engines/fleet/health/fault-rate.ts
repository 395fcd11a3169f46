import type { EngineEvent } from './engine-states.ts'
import type { FleetStates } from './fleet-states.ts'

/** The share of requests that fail at an engine with several workers. */
export type FaultRate = {
  add(outcome: 'failed' | 'succeeded'): void
  /** A check passed: what failed before says nothing any more. */
  passed(): void
  /** Whether so many fail that the engine itself must be at fault. */
  isHigh(): boolean
}

/** Older outcomes say nothing about now. */
const WINDOW_MS = 10_000
/** Also bounds what is remembered. */
const OUTCOMES_MAX = 64
/** Fewer are no rate: generations that start together fail together. */
const FAILED_MIN = 8
/** Above what one dead worker of two can cause: each retry succeeds, after each failure. */
const SHARE = 2 / 3

/**
 * One dead worker of several fails its share of the requests, while the others work. An engine is
 * reported as failing only if most of its recent attempts failed.
 */
export function createFaultRate(now: () => number): FaultRate {
  let outcomes: { readonly atMs: number; readonly failed: boolean }[] = []
  return {
    add(outcome) {
      const atMs = now()
      const recent = outcomes.filter((each) => each.atMs > atMs - WINDOW_MS)
      outcomes = [...recent.slice(1 - OUTCOMES_MAX), { atMs, failed: outcome === 'failed' }]
    },
    passed: () => void (outcomes = []),
    isHigh() {
      const sinceMs = now() - WINDOW_MS
      const recent = outcomes.filter((each) => each.atMs > sinceMs)
      const failed = recent.filter((each) => each.failed).length
      return failed >= FAILED_MIN && failed >= recent.length * SHARE
    },
  }
}

type States = Pick<FleetStates, 'add' | 'view' | 'report'>

/** The states of an engine with several workers, which hear of failures only if most fail. */
export function reportByRate(states: States, now: () => number): States {
  const rate = createFaultRate(now)
  return {
    add: (engine, slots) => states.add(engine, slots),
    view: (engine) => states.view(engine),
    report(event) {
      if (event.kind === 'succeeded') rate.add('succeeded')
      if (isFailure(event)) rate.add('failed')
      // The first token depends on the worker, and on what it has to fetch.
      const isSlow = event.kind === 'fault' && event.why === 'slow'
      if (isSlow || (isFailure(event) && !rate.isHigh())) return
      if (event.kind !== 'checked') {
        states.report(event)
        return
      }
      // The check may have met the one worker that is dead.
      const isRare = !rate.isHigh() && states.view(event.engine).state !== 'trial'
      const result = isRare && event.result !== 'busy' ? 'passed' : event.result
      if (result === 'passed') rate.passed()
      states.report({ ...event, result })
    },
  }
}

function isFailure(event: EngineEvent): boolean {
  const { kind } = event
  return (
    kind === 'refused' || kind === 'misconfigured' || (kind === 'fault' && event.why !== 'slow')
  )
}

import type { EngineState } from '../management/operator-system.ts'

type State = NonNullable<EngineState['state']>

/**
 * From the state that matters most: what an operator ordered, what only an operator can mend, and
 * what mends itself.
 */
const BY_SEVERITY = [
  'disabled',
  'draining',
  'misconfigured',
  'ejected',
  'trial',
  'suspect',
  'warming',
  'ready',
] as const satisfies readonly State[]

/** The state of an engine that has several: in other processes, or for other models. */
export function worstState(states: readonly State[]): State {
  return BY_SEVERITY.find((state) => states.includes(state)) ?? 'ready'
}

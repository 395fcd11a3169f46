import type { RequestSummary } from '../../api/routes.ts'
import type { Outcome } from './search.ts'

const SERVER_ERROR = 500

/** The service failed where the caller did nothing wrong: that is no refusal. */
export function outcomeOf({ outcome, error }: Pick<RequestSummary, 'outcome' | 'error'>): Outcome {
  return outcome === 'refused' && (error?.status ?? 0) >= SERVER_ERROR ? 'failed' : outcome
}

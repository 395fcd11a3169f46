import type { Counter, Meter } from '../lib/meter.ts'
import type { RequestEnd } from './request-end.ts'

const NAME = 'headrace_requests_total'
const DESCRIPTION = 'Requests by response status, and whether the response was completed.'
const ENDS: readonly RequestEnd['ended'][] = ['whole', 'failed', 'broken']

/** Counts requests. `errors` are the rows of the errors that the process can answer with. */
export function countRequests(
  meter: Meter,
  errors: Iterable<{ readonly status: number }>,
): (end: RequestEnd) => void {
  const counters = new Map<string, Counter>()
  const counterOf = (status: number, ended: RequestEnd['ended']): Counter => {
    const key = `${status} ${ended}`
    const found = counters.get(key)
    if (found !== undefined) return found
    const created = meter.counter(NAME, DESCRIPTION, { status: String(status), ended })
    counters.set(key, created)
    return created
  }
  for (const ended of ENDS) counterOf(200, ended)
  for (const { status } of errors) counterOf(status, 'whole')
  return ({ status, ended }) => counterOf(status, ended).add(1)
}

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { readError, readJson, type Answer, type ErrorFields, type Sent } from '../client.ts'
import {
  DIMENSIONS,
  rateLimitHeaders,
  rateLimitHeadersOf,
  REQUEST_DIMENSIONS,
} from '../../harness/clients/rate-limit-headers.ts'
import { CANARY, isErrorRow, type Rule, rules } from './rule.ts'

/** The first answer that broke each of the rules below. */
export type Watched = {
  readonly watch: (answer: Answer, sent: Sent) => void
  readonly failures: ReadonlyMap<string, string>
  answers(): number
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const WHOLE = /^\d+$/
const RESET = /^\d+(\.\d{1,3})?s$/
const DAY_MS = 86_400_000
/** Both clocks are this machine's, but a request may wait for a slot after it was admitted. */
const CLOCK_SLACK_MS = 30_000

/** Errors without rate-limit headers: the request was not admitted, or nobody knows. */
const NOT_ADMITTED = new Set([401, 402, 403, 409])
const WITHOUT_CAPACITY = ['rate_limit_unavailable', 'service_unavailable', 'internal_error']

/** Headers that would tell a client about the software behind the service. */
const TELLTALES = ['server', 'x-powered-by', 'via', 'set-cookie']

type Holds = (answer: Answer, sent: Sent, seenIds: ReadonlySet<string>) => boolean

/** Rules about every answer: each is checked on all answers to all other rules. */
const INVARIANTS: Readonly<Record<string, Holds>> = {
  'id: carries x-request-id, a UUID': ({ headers }) => UUID.test(headers['x-request-id'] ?? ''),
  'id-unique: has an x-request-id of its own': ({ headers }, _sent, seenIds) =>
    !seenIds.has(headers['x-request-id'] ?? ''),
  'id-not-clients: never reuses the id that the client sent': ({ headers }, sent) =>
    sent.headers['x-request-id'] === undefined ||
    headers['x-request-id'] !== sent.headers['x-request-id'],
  'id-copy: carries x-server-request-id, the same id, unless it is a 401': ({ status, headers }) =>
    headers['x-server-request-id'] === (status === 401 ? undefined : headers['x-request-id']),
  'retention: says what is retained, unless it is a 401': ({ status, headers }) =>
    status === 401
      ? headers['service-data-retention'] === undefined
      : ['zero', 'standard', 'contributor'].includes(headers['service-data-retention'] ?? ''),
  'capacity: carries exactly the rate-limit headers that belong to it': (answer, sent) =>
    isDeepStrictEqual(rateLimitHeadersOf(answer.headers), expectedHeaders(answer, sent)),
  'capacity-whole: reports whole numbers, remaining within the limit': ({ headers }) =>
    dimensionsOf(headers).every((name) => {
      const limit = headers[`x-ratelimit-limit-${name}`] ?? ''
      const remaining = headers[`x-ratelimit-remaining-${name}`] ?? ''
      return WHOLE.test(limit) && WHOLE.test(remaining) && Number(remaining) <= Number(limit)
    }),
  'capacity-reset: reports resets in seconds with at most three decimals': ({ headers }) =>
    dimensionsOf(headers).every((name) => RESET.test(headers[`x-ratelimit-reset-${name}`] ?? '')),
  'capacity-midnight: reports the next midnight in UTC as the reset of a day': ({ headers }) => {
    const reset = headers['x-ratelimit-reset-requests-day']
    if (reset === undefined) return true
    const untilMidnightMs = DAY_MS - (Date.now() % DAY_MS)
    return Math.abs(Number.parseFloat(reset) * 1000 - untilMidnightMs) < CLOCK_SLACK_MS
  },
  'error-shape: is a JSON body of message, type, param and code when it is an error': (
    answer,
    sent,
  ) => {
    if (answer.status < 400 || sent.method === 'HEAD') return true
    const { error, ...others } = readJson(answer) as { error: ErrorFields }
    const { message, type, param, code, ...more } = error
    return (
      answer.headers['content-type']?.startsWith('application/json') === true &&
      Object.keys({ ...others, ...more }).length === 0 &&
      typeof message === 'string' &&
      message !== '' &&
      typeof type === 'string' &&
      (param === null || typeof param === 'string') &&
      (code === null || typeof code === 'string')
    )
  },
  'error-row: is one of the rows of the error table when it is an error': (answer, sent) => {
    if (answer.status < 400 || sent.method === 'HEAD') return true
    const { type, code } = readError(answer)
    return isErrorRow(answer.status, type, code)
  },
  'error-discreet: repeats neither messages nor the engine in an error': ({ status, text }) =>
    status < 400 || !(text.includes(CANARY) || text.includes('SECRET')),
  'no-telltale: reveals nothing about the software behind it': ({ headers }) =>
    TELLTALES.every((name) => headers[name] === undefined),
}

function dimensionsOf(headers: Answer['headers']): string[] {
  return DIMENSIONS.filter((name) => headers[`x-ratelimit-limit-${name}`] !== undefined)
}

function expectedHeaders(answer: Answer, sent: Sent): string[] {
  if (NOT_ADMITTED.has(answer.status)) return []
  const code = answer.status >= 500 ? readError(answer).code : null
  if (WITHOUT_CAPACITY.includes(code ?? '')) return []
  const isChat = sent.method === 'POST' && sent.path.split('?')[0] === '/chat/completions'
  return rateLimitHeaders(isChat ? DIMENSIONS : REQUEST_DIMENSIONS)
}

export function watchEveryAnswer(): Watched {
  const failures = new Map<string, string>()
  const seenIds = new Set<string>()
  return {
    failures,
    answers: () => seenIds.size,
    watch(answer, sent) {
      for (const [title, holds] of Object.entries(INVARIANTS)) {
        if (failures.has(title) || holds(answer, sent, seenIds)) continue
        const { status, headers, text } = answer
        const shown = `${JSON.stringify(headers)} ${text.slice(0, 200)}`
        failures.set(title, `${sent.method} ${sent.path} gave ${status} ${shown}`)
      }
      seenIds.add(answer.headers['x-request-id'] ?? '')
    },
  }
}

/** To be checked last: they judge the answers to all the others. */
export const EVERY_ANSWER: readonly Rule[] = Object.keys(INVARIANTS).flatMap((title) =>
  rules('every-answer', {
    [title]: ({ watched }) => {
      assert.ok(watched.answers() > 0)
      assert.equal(watched.failures.get(title), undefined)
      return Promise.resolve()
    },
  }),
)

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { readJson, type Answer, type ErrorFields, type Sent } from '../../api/client.ts'
import { CANARY, isErrorRow, type Rule } from './rule.ts'

/** What was wrong with the first answer that broke a rule, by the rule's id. */
export type Watched = {
  readonly watch: (answer: Answer, sent: Sent) => void
  readonly faults: ReadonlyMap<string, string>
  answers(): number
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const WHOLE = /^\d+$/
const RESET = /^\d+(\.\d{1,3})?s$/

const REQUEST_DIMENSIONS = ['requests', 'requests-day']
const TOKEN_DIMENSIONS = ['tokens', 'tokens-day']

/** Refusals that come before admission, or for want of it. */
const NOT_ADMITTED = new Set([401, 402, 403, 409])
const WITHOUT_CAPACITY = new Set(['rate_limit_unavailable', 'service_unavailable'])

/** Headers that would tell a client about what lies behind the service. */
const TELLTALES = ['server', 'x-powered-by', 'via', 'set-cookie']

/** Rules that hold for every answer: each is checked on all answers to all other rules. */
type Invariant = {
  readonly id: string
  readonly name: string
  readonly holds: (answer: Answer, sent: Sent, seenIds: ReadonlySet<string>) => boolean
}

const INVARIANTS: readonly Invariant[] = [
  {
    id: 'every-answer/id',
    name: 'carries x-request-id, a UUID',
    holds: ({ headers }) => UUID.test(headers['x-request-id'] ?? ''),
  },
  {
    id: 'every-answer/id-unique',
    name: 'has an x-request-id of its own',
    holds: ({ headers }, _sent, seenIds) => !seenIds.has(headers['x-request-id'] ?? ''),
  },
  {
    id: 'every-answer/id-not-clients',
    name: 'never reuses the id that the client sent',
    holds: ({ headers }, sent) =>
      sent.headers['x-request-id'] === undefined ||
      headers['x-request-id'] !== sent.headers['x-request-id'],
  },
  {
    id: 'every-answer/id-copy',
    name: 'carries x-server-request-id, the same id, unless it is a 401',
    holds: ({ status, headers }) =>
      headers['x-server-request-id'] === (status === 401 ? undefined : headers['x-request-id']),
  },
  {
    id: 'every-answer/retention',
    name: 'says what is retained, unless it is a 401',
    holds: ({ status, headers }) =>
      status === 401
        ? headers['service-data-retention'] === undefined
        : ['zero', 'standard', 'contributor'].includes(headers['service-data-retention'] ?? ''),
  },
  {
    id: 'every-answer/capacity',
    name: 'carries exactly the rate-limit headers that belong to it',
    holds: (answer, sent) =>
      isDeepStrictEqual(
        Object.keys(answer.headers)
          .filter((name) => name.startsWith('x-ratelimit-'))
          .toSorted(),
        capacityNames(answer, sent),
      ),
  },
  {
    id: 'every-answer/capacity-whole',
    name: 'reports limit and remaining as whole numbers, remaining within the limit',
    holds: ({ headers }) =>
      dimensionsOf(headers).every((name) => {
        const limit = headers[`x-ratelimit-limit-${name}`] ?? ''
        const remaining = headers[`x-ratelimit-remaining-${name}`] ?? ''
        return WHOLE.test(limit) && WHOLE.test(remaining) && Number(remaining) <= Number(limit)
      }),
  },
  {
    id: 'every-answer/capacity-reset',
    name: 'reports resets as seconds with at most three decimals and an s',
    holds: ({ headers }) =>
      dimensionsOf(headers).every((name) => RESET.test(headers[`x-ratelimit-reset-${name}`] ?? '')),
  },
  {
    id: 'every-answer/capacity-midnight',
    name: 'reports the next midnight in UTC as the reset of a day',
    holds: ({ headers }) => {
      const reset = headers['x-ratelimit-reset-requests-day']
      if (reset === undefined) return true
      const dayMs = 86_400_000
      const untilMidnightMs = dayMs - (Date.now() % dayMs)
      return Math.abs(Number.parseFloat(reset) * 1000 - untilMidnightMs) < CLOCK_SLACK_MS
    },
  },
  {
    id: 'every-answer/error-shape',
    name: 'is a JSON body of message, type, param and code when it is an error',
    holds: ({ status, headers, text }, sent) => {
      if (status < 400 || sent.method === 'HEAD') return true
      const { error, ...others } = readJson({ text }) as { error: ErrorFields }
      const { message, type, param, code, ...more } = error
      return (
        headers['content-type']?.startsWith('application/json') === true &&
        Object.keys({ ...others, ...more }).length === 0 &&
        typeof message === 'string' &&
        message !== '' &&
        typeof type === 'string' &&
        (param === null || typeof param === 'string') &&
        (code === null || typeof code === 'string')
      )
    },
  },
  {
    id: 'every-answer/error-row',
    name: 'is one of the rows of the error table when it is an error',
    holds: (answer, sent) => {
      if (answer.status < 400 || sent.method === 'HEAD') return true
      const { type, code } = (readJson(answer) as { error: ErrorFields }).error
      return isErrorRow(answer.status, type, code)
    },
  },
  {
    id: 'every-answer/error-discreet',
    name: 'repeats nothing of the messages, nor of the engine, in an error',
    holds: ({ status, text }) =>
      status < 400 || !(text.includes(CANARY) || text.includes('SECRET')),
  },
  {
    id: 'every-answer/no-telltale',
    name: 'tells nothing about the software behind it',
    holds: ({ headers }) => TELLTALES.every((name) => headers[name] === undefined),
  },
]

/** Both clocks are this machine's, but a request may wait for a slot after it was admitted. */
const CLOCK_SLACK_MS = 30_000

function dimensionsOf(headers: Answer['headers']): string[] {
  return [...REQUEST_DIMENSIONS, ...TOKEN_DIMENSIONS].filter(
    (name) => headers[`x-ratelimit-limit-${name}`] !== undefined,
  )
}

function capacityNames({ status, text }: Answer, sent: Sent): string[] {
  if (NOT_ADMITTED.has(status)) return []
  const code = status >= 500 ? (readJson({ text }) as { error: ErrorFields }).error.code : null
  if (WITHOUT_CAPACITY.has(code ?? '') || code === 'internal_error') return []
  const isChat = sent.method === 'POST' && sent.path.split('?')[0] === '/chat/completions'
  const dimensions = isChat ? [...REQUEST_DIMENSIONS, ...TOKEN_DIMENSIONS] : REQUEST_DIMENSIONS
  return dimensions
    .flatMap((name) => ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${name}`))
    .toSorted()
}

export function watchEveryAnswer(): Watched {
  const faults = new Map<string, string>()
  const seenIds = new Set<string>()
  return {
    faults,
    answers: () => seenIds.size,
    watch(answer, sent) {
      for (const { id, holds } of INVARIANTS) {
        if (faults.has(id) || holds(answer, sent, seenIds)) continue
        const { status, headers, text } = answer
        const shown = `${JSON.stringify(headers)} ${text.slice(0, 200)}`
        faults.set(id, `${sent.method} ${sent.path} gave ${status} ${shown}`)
      }
      seenIds.add(answer.headers['x-request-id'] ?? '')
    },
  }
}

/** To be checked last: they judge the answers to all the others. */
export const EVERY_ANSWER: readonly Rule[] = INVARIANTS.map(({ id, name }) => ({
  id,
  name: `every answer ${name}`,
  check({ watched }) {
    assert.ok(watched.answers() > 0)
    assert.equal(watched.faults.get(id), undefined)
    return Promise.resolve()
  },
}))

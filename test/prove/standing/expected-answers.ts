import { isDeepStrictEqual } from 'node:util'
import type { Retention } from '../../../src/tenancy/retention.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import { codeOf, type Exchange, type Sent } from '../../harness/clients/http-client.ts'
import {
  DIMENSIONS,
  rateLimitHeaders,
  rateLimitHeadersOf,
  REQUEST_DIMENSIONS,
} from '../../harness/clients/rate-limit-headers.ts'
import type { Facts } from './credential-states.ts'

export type Expected = {
  readonly status: number
  readonly code: string | undefined
  /** Undefined where the answer must not say how long content is kept. */
  readonly retention: Retention | undefined
  /** The dimensions whose rate-limit headers are sent; none unless the request is admitted. */
  readonly dimensions: readonly string[]
}

type Outcome = readonly [status: number, code?: string]

/** Written from the order in the specification, not from the code. The first match decides. */
const STANDING: readonly (readonly [when: (facts: Facts) => boolean, ...Outcome])[] = [
  [({ credential }) => credential !== 'valid', 401, 'invalid_api_key'],
  [({ projectArchived }) => projectArchived, 401, 'invalid_api_key'],
  [({ account }) => account?.state === 'restricted', 403, 'account_restricted'],
  [({ account }) => account?.state === 'waiting', 403, 'platform_access_required'],
  [
    ({ kind, account }) => kind === 'playground' && account?.registered === false,
    403,
    'onboarding_pending',
  ],
  [
    ({ account, membership }) => account !== null && membership !== 'active',
    403,
    'organization_membership_required',
  ],
  [({ plan }) => plan === 'gone', 403, 'plan_access_denied'],
  [({ kind, plan }) => kind === 'api_key' && plan === 'playground-only', 403, 'plan_access_denied'],
  [({ kind, plan }) => kind === 'playground' && plan === 'keys-only', 403, 'plan_access_denied'],
]

const BILLING: Readonly<Record<Facts['billing'], Outcome | undefined>> = {
  ok: undefined,
  exhausted: [402, 'insufficient_balance'],
  conflict: [409, 'billing_conflict'],
}

const CHAT = '/chat/completions'
const BODY = {
  model: DEMO_MODEL,
  messages: [{ role: 'user', content: 'Hi' }],
  max_completion_tokens: 1,
}

export type Endpoint = Omit<Sent, 'authorization'> & {
  readonly name: string
  /** The answer to a caller in good standing. */
  readonly outcome: Outcome
}

export const ENDPOINTS = (
  [
    ['a chat completion', 'POST', CHAT, [200], BODY],
    ['a bad chat completion', 'POST', CHAT, [400, 'unsupported_parameter'], { ...BODY, x: 1 }],
    ['chat with a wrong method', 'GET', CHAT, [405, 'unsupported_method']],
    ['the models', 'GET', '/models', [200]],
    ['models with a wrong method', 'POST', '/models', [405, 'unsupported_method'], {}],
    ['a model', 'GET', `/models/${DEMO_MODEL}`, [200]],
    ['no model', 'GET', '/models/none/such', [404, 'model_not_found']],
    ['no endpoint', 'GET', '/embeddings', [404, 'unsupported_endpoint']],
  ] as [string, string, string, Outcome, object?][]
).map(([name, method, path, outcome, body]): Endpoint => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return { name, method, path, outcome, ...sent }
})

export function expectedOf(facts: Facts, { method, path, outcome }: Endpoint): Expected {
  const { retention } = facts
  const failed = STANDING.find(([when]) => when(facts))
  if (failed !== undefined) {
    const [, status, code] = failed
    return { status, code, retention: status === 401 ? undefined : retention, dimensions: [] }
  }
  // Only a chat completion costs tokens and money.
  const isChat = method === 'POST' && path === CHAT
  const unpaid = isChat ? BILLING[facts.billing] : undefined
  const [status, code] = unpaid ?? outcome
  const admitted = isChat ? DIMENSIONS : REQUEST_DIMENSIONS
  return { status, code, retention, dimensions: unpaid === undefined ? admitted : [] }
}

/** What is wrong with an answer, or undefined. */
export function findMistake(answer: Exchange, expected: Expected): string | undefined {
  const { status, headers } = answer
  const code = codeOf(answer)
  if (status !== expected.status || code !== expected.code)
    return `${status} ${code} and not ${expected.status} ${expected.code}`
  if (headers['x-request-id'] === undefined) return 'no x-request-id'
  if ((headers['x-server-request-id'] === undefined) !== (status === 401))
    return 'x-server-request-id belongs on every answer but a 401'
  const retention = headers['service-data-retention']
  if (retention !== expected.retention) return `retention ${retention}, not ${expected.retention}`
  const shown = rateLimitHeadersOf(headers)
  if (!isDeepStrictEqual(shown, rateLimitHeaders(expected.dimensions)))
    return `shows the rate-limit headers ${shown.join(' ')}`
  const isFinal = status === 402 || status === 409
  if (isFinal !== (headers['x-should-retry'] === 'false')) return 'gives wrong advice on retries'
  return undefined
}

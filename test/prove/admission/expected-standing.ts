import type { Retention } from '../../../src/tenancy/retention.ts'
import type { Sent } from '../../harness/http-client.ts'
import type { Facts } from './credential-states.ts'
import { MODEL } from './replicas.ts'

/** What an answer must be: an outcome, and how much of the headers comes with it. */
export type Expected = {
  readonly status: number
  readonly code: string | null | undefined
  /** Undefined where the answer must not say what is kept. */
  readonly retention: Retention | undefined
  readonly capacity: 'none' | 'requests' | 'requests and tokens'
}

type Outcome = readonly [status: number, code: string | undefined]

/** Written from the specification's order, not from the code: the first line that holds answers. */
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

export type Endpoint = Pick<Sent, 'method' | 'path' | 'body'> & {
  readonly name: string
  /** What a caller in good standing gets. */
  readonly outcome: Outcome
  /** Whether it is a chat completion, which alone costs tokens and money. */
  readonly chat: boolean
}

const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 1 }

function endpoint(
  name: string,
  method: string,
  path: string,
  outcome: Outcome,
  body?: object,
): Endpoint {
  const chat = method === 'POST' && path === '/chat/completions'
  return {
    name,
    method,
    path,
    outcome,
    chat,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

export const ENDPOINTS: readonly Endpoint[] = [
  endpoint('a chat completion', 'POST', '/chat/completions', [200, undefined], CHAT),
  endpoint('a bad chat completion', 'POST', '/chat/completions', [400, 'unsupported_parameter'], {
    ...CHAT,
    unlisted: true,
  }),
  endpoint('chat with a wrong method', 'GET', '/chat/completions', [405, 'unsupported_method']),
  endpoint('the models', 'GET', '/models', [200, undefined]),
  endpoint('models with a wrong method', 'POST', '/models', [405, 'unsupported_method'], {}),
  endpoint('a model', 'GET', `/models/${MODEL}`, [200, undefined]),
  endpoint('no model', 'GET', '/models/none/such', [404, 'model_not_found']),
  endpoint('no endpoint', 'GET', '/embeddings', [404, 'unsupported_endpoint']),
]

/** Null facts are those of a stranger. */
export function expectedOf(facts: Facts, { chat, outcome }: Endpoint): Expected {
  const { retention } = facts
  const lacking = STANDING.find(([when]) => when(facts))
  if (lacking !== undefined) {
    const [, status, code] = lacking
    return {
      status,
      code,
      retention: status === 401 ? undefined : retention,
      capacity: 'none',
    }
  }
  const unpaid = chat ? BILLING[facts.billing] : undefined
  if (unpaid !== undefined)
    return { status: unpaid[0], code: unpaid[1], retention, capacity: 'none' }
  const capacity = chat ? 'requests and tokens' : 'requests'
  return { status: outcome[0], code: outcome[1], retention, capacity }
}

const REQUESTS = namesOf('requests', 'requests-day')
const TOKENS = namesOf('tokens', 'tokens-day')
const CAPACITY = {
  none: [],
  requests: REQUESTS,
  'requests and tokens': [...REQUESTS, ...TOKENS],
} as const

function namesOf(...dimensions: readonly string[]): string[] {
  return dimensions.flatMap((dimension) =>
    ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${dimension}`),
  )
}

const RETENTION_HEADER = 'service-data-retention'

/** What is wrong with the headers of an answer, or undefined. */
export function faultOfHeaders(
  headers: Readonly<Record<string, string>>,
  expected: Expected,
): string | undefined {
  if (headers['x-request-id'] === undefined) return 'has no x-request-id'
  const known = headers['x-server-request-id'] !== undefined
  if (known !== (expected.status !== 401)) return 'x-server-request-id goes to all but strangers'
  if (headers[RETENTION_HEADER] !== expected.retention)
    return `says that ${headers[RETENTION_HEADER]} is kept, and not ${expected.retention}`
  const shown = Object.keys(headers).filter((name) => name.startsWith('x-ratelimit-'))
  const wanted: readonly string[] = CAPACITY[expected.capacity]
  if (shown.length !== wanted.length || wanted.some((name) => !shown.includes(name)))
    return `shows ${shown.length} rate-limit headers and not ${wanted.length}`
  const hopeless = expected.status === 402 || expected.status === 409
  if (hopeless !== (headers['x-should-retry'] === 'false')) return 'misadvises about a retry'
  return undefined
}

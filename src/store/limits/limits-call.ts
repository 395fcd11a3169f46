import {
  LIMIT_MAX,
  type Capacities,
  type Dimension,
  type LimitsAsk,
  type LimitsDecision,
} from '../../tenancy/rate-limits.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { readScript, type ScriptCall } from '../valkey/scripts.ts'
import { type ValkeyArgument } from '../valkey/valkey.ts'

export const LIMITS_SCRIPT = readScript(import.meta.url, 'utc-month.lua', 'limits.lua')

/** In the order of the script's arguments and of its result bits. */
const DIMENSIONS = [
  'requestsPerMinute',
  'requestsPerDay',
  'tokensPerMinute',
  'tokensPerDay',
] as const satisfies Dimension[]

/** The script's numbers for them. */
const BILLING_NUMBERS = { none: 0, postpaid: 1, prepaid: 2 } as const

/** The arguments that all requests of one call share. */
type Shared = Pick<LimitsAsk, 'organizationId' | 'version' | 'fresh' | 'limits' | 'funds'>

export function limitsCall(shared: Shared, asks: readonly LimitsAsk[]): ScriptCall {
  const keys = organizationKeys(shared.organizationId)
  const { billing, granted, spent } = shared.funds
  const args: ValkeyArgument[] = [
    shared.version,
    shared.fresh ? 1 : 0,
    ...DIMENSIONS.map((dimension) => shared.limits[dimension]),
    BILLING_NUMBERS[billing],
    granted,
    spent,
    asks.find((ask) => ask.record !== null)?.record?.instance ?? '',
  ]
  for (const { tokens, record, projectId, funds } of asks) {
    args.push(tokens)
    if (record === null) args.push('', '', 0)
    else args.push(record.id, JSON.stringify(record), record.reserved)
    args.push(projectId, funds.spendingLimit ?? '', funds.projectSpent)
  }
  return { keys: [keys.limits, keys.version, keys.open, keys.leases, keys.funds], args }
}

const REPLY_HEAD = 2
const REPLY_PER_ASK = 9
/** Results of the script other than the bits of the limits. */
const BALANCE = 16
const SPENDING_LIMIT = 32
const STALE = 64

export function readReply(reply: unknown, asks: readonly LimitsAsk[]): LimitsDecision[] {
  const numbers = reply as number[]
  if (numbers[0] === 0) return asks.map(() => ({ kind: 'stale' }))
  const dayMs = numbers[1]!
  return asks.map(({ limits }, index) => {
    const start = REPLY_HEAD + index * REPLY_PER_ASK
    const at = (offset: number) => numbers[start + offset]!
    const capacities: Capacities = {
      requestsPerMinute: { limit: limits.requestsPerMinute, remaining: at(3), resetMs: at(4) },
      requestsPerDay: { limit: limits.requestsPerDay, remaining: at(5), resetMs: dayMs },
      tokensPerMinute: { limit: limits.tokensPerMinute, remaining: at(6), resetMs: at(7) },
      tokensPerDay: { limit: limits.tokensPerDay, remaining: at(8), resetMs: dayMs },
    }
    if (at(0) === 0) return { kind: 'admitted', capacities }
    if (at(0) === STALE) return { kind: 'stale' }
    if (at(0) === BALANCE) return { kind: 'unfunded', of: 'organization' }
    if (at(0) === SPENDING_LIMIT) return { kind: 'unfunded', of: 'project' }
    const violated = DIMENSIONS.filter((_, bit) => (at(0) & (1 << bit)) !== 0)
    return { kind: 'refused', capacities, violated, retryAfterMs: at(2), never: at(1) === 1 }
  })
}

export function sharesCall(one: LimitsAsk, other: LimitsAsk): boolean {
  const sameLimits = DIMENSIONS.every((name) => one.limits[name] === other.limits[name])
  if (!sameLimits || one.version !== other.version || one.fresh !== other.fresh) return false
  const { billing, granted, spent } = one.funds
  const same = billing === other.funds.billing && granted === other.funds.granted
  // The script uses the amount spent only from a fresh identity.
  return same && (!one.fresh || spent === other.funds.spent)
}

export function assertCountable({ limits, version, tokens, funds, record }: LimitsAsk): void {
  const countable =
    DIMENSIONS.every((name) => isCount(limits[name]) && limits[name] <= LIMIT_MAX) &&
    [version, tokens, funds.spent, funds.projectSpent].every(isCount) &&
    Number.isSafeInteger(funds.granted) &&
    isCount(funds.spendingLimit ?? 0) &&
    isCount(record?.reserved ?? 0)
  if (!countable)
    throw new RangeError('limits, costs, tokens and versions must be non-negative safe integers')
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}

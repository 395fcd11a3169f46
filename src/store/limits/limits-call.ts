import type { KeyLimits } from '../../tenancy/key-limits.ts'
import {
  LIMIT_MAX,
  type Capacities,
  type ConcurrencyLimit,
  type Dimension,
  type LimitsAsk,
  type LimitsDecision,
  type VersionAsk,
} from '../../tenancy/rate-limits.ts'
import { VIRTUAL_TIME_SCALE } from '../valkey/virtual-time-scale.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { readScript, type ScriptCall } from '../valkey/scripts.ts'
import { type ValkeyArgument } from '../valkey/valkey.ts'

export const LIMITS_SCRIPT = readScript(
  import.meta.url,
  '../valkey/utc-month.lua',
  'limits.lua',
  'limits-funds.lua',
  'limits-keys.lua',
  'limits-running.lua',
  'limits-admit.lua',
)

/** In the order of the script's arguments and of its result bits. */
const DIMENSIONS = [
  'requestsPerMinute',
  'requestsPerDay',
  'tokensPerMinute',
  'tokensPerDay',
] as const satisfies Dimension[]

/** The script's numbers for them. */
const BILLING_NUMBERS = { none: 0, postpaid: 1, prepaid: 2, credit: 2 } as const

/** For requests that share a call; see `sharesCall`. */
export function limitsCall(asks: readonly LimitsAsk[]): ScriptCall {
  const shared = asks[0]!
  const { billing, granted, spent } = shared.funds
  const args: ValkeyArgument[] = [
    shared.version,
    shared.fresh ? 1 : 0,
    ...DIMENSIONS.map((dimension) => shared.limits[dimension]),
    BILLING_NUMBERS[billing],
    granted,
    spent,
    asks.find((ask) => ask.record !== null)?.record?.instance ?? '',
    shared.organizationId,
    shared.concurrency.organization ?? '',
    shared.concurrency.key ?? '',
  ]
  const numberOf = pushKeys(args, asks)
  for (const { tokens, record, projectId, funds, key, concurrency } of asks) {
    args.push(tokens)
    if (record === null) args.push('', '', 0)
    else args.push(record.id, JSON.stringify(record), record.reserved)
    args.push(projectId, funds.spendingLimit ?? '', funds.projectSpent)
    args.push(key === null ? 0 : numberOf.get(key)!)
    const model = record?.model ?? ''
    args.push(record?.credentialId ?? '', model, concurrency.models.get(model) ?? '')
  }
  return { keys: keysOf(shared.organizationId), args }
}

/** Asks for the version only: of no request nothing is checked. */
export function versionCall({ organizationId, version, fresh }: VersionAsk): ScriptCall {
  const nothing = [0, 0, 0, 0, 0, 0, 0, '', '', '', '', 0]
  return { keys: keysOf(organizationId), args: [version, fresh ? 1 : 0, ...nothing] }
}

/** In the order of the script. */
function keysOf(organizationId: string): string[] {
  const { limits, version, open, leases, funds, key, running } = organizationKeys(organizationId)
  return [limits, version, open, leases, funds, key, running]
}

/** The version that makes the identity stale, 0 if none is known; undefined if it is current. */
export function readVersion(reply: unknown): number | undefined {
  const [isCurrent, version] = reply as [number, number]
  return isCurrent === 1 ? undefined : version
}

/** Adds the keys that have limits, each once. Returns their numbers, from 1. */
function pushKeys(
  args: ValkeyArgument[],
  asks: readonly LimitsAsk[],
): ReadonlyMap<KeyLimits, number> {
  const numberOf = new Map<KeyLimits, number>()
  const at = args.push(0) - 1
  for (const { key } of asks) {
    if (key === null || numberOf.has(key)) continue
    numberOf.set(key, numberOf.size + 1)
    args.push(key.id, key.expiresAtMs ?? '', key.requestsPerMinute ?? '')
    args.push(key.spendingLimit ?? '', key.spent, key.month)
  }
  args[at] = numberOf.size
  return numberOf
}

const REPLY_HEAD = 2
const REPLY_PER_ASK = 11
/** After the bits of `DIMENSIONS`. */
const KEY_MINUTE = 16
const CONCURRENCY = { organization: 1024, key: 2048, model: 4096 } as const
const CONCURRENCY_LIMITS = Object.keys(CONCURRENCY) as ConcurrencyLimit[]
/** Results of the script other than the bits of the limits. */
const UNFUNDED = { 32: 'organization', 64: 'project', 128: 'key' } as const
const STALE = 256
const EXPIRED = 512

type Unfunded = (typeof UNFUNDED)[keyof typeof UNFUNDED]

export function readReply(reply: unknown, asks: readonly LimitsAsk[]): LimitsDecision[] {
  const numbers = reply as number[]
  if (numbers[0] === 0) return asks.map(() => ({ kind: 'stale', version: numbers[1]! }))
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
    if (at(0) === 0)
      return {
        kind: 'admitted',
        capacities,
        virtualTime: at(9) / VIRTUAL_TIME_SCALE,
        running: at(10),
      }
    if (at(0) === STALE) return { kind: 'stale', version: 0 }
    if (at(0) === EXPIRED) return { kind: 'expired' }
    const of = UNFUNDED[at(0) as keyof typeof UNFUNDED] as Unfunded | undefined
    if (of !== undefined) return { kind: 'unfunded', of }
    const violated = DIMENSIONS.filter((_, bit) => (at(0) & (1 << bit)) !== 0)
    const ofKey = (at(0) & KEY_MINUTE) !== 0
    const concurrent = CONCURRENCY_LIMITS.filter((each) => (at(0) & CONCURRENCY[each]) !== 0)
    const never = at(1) === 1
    return { kind: 'refused', capacities, violated, ofKey, concurrent, retryAfterMs: at(2), never }
  })
}

export function sharesCall(one: LimitsAsk, other: LimitsAsk): boolean {
  const sameLimits = DIMENSIONS.every((name) => one.limits[name] === other.limits[name])
  if (!sameLimits || one.version !== other.version || one.fresh !== other.fresh) return false
  if (one.concurrency !== other.concurrency) return false
  const { billing, granted, spent } = one.funds
  const same = billing === other.funds.billing && granted === other.funds.granted
  // The script uses the amount spent only from a fresh identity.
  return same && (!one.fresh || spent === other.funds.spent)
}

export function assertCountable(ask: LimitsAsk): void {
  const { limits, version, tokens, funds, key, record, concurrency } = ask
  const countable =
    DIMENSIONS.every((name) => isCount(limits[name]) && limits[name] <= LIMIT_MAX) &&
    [version, tokens, funds.spent, funds.projectSpent].every(isCount) &&
    Number.isSafeInteger(funds.granted) &&
    isCount(funds.spendingLimit ?? 0) &&
    (key === null || isCountable(key)) &&
    [concurrency.organization ?? 0, concurrency.key ?? 0].every(isCount) &&
    isCount(record?.reserved ?? 0)
  if (!countable)
    throw new RangeError('limits, costs, tokens and versions must be non-negative safe integers')
}

function isCountable({ expiresAtMs, requestsPerMinute, spendingLimit, spent }: KeyLimits): boolean {
  const perMinute = requestsPerMinute ?? 0
  return (
    [expiresAtMs ?? 0, perMinute, spendingLimit ?? 0, spent].every(isCount) &&
    perMinute <= LIMIT_MAX
  )
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}

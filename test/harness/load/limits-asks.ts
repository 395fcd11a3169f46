import { utcMonth } from '../../../src/lib/time.ts'
import type { Funds } from '../../../src/tenancy/funds.ts'
import type { KeyLimits } from '../../../src/tenancy/key-limits.ts'
import type { ConcurrencyLimits, LimitsAsk } from '../../../src/tenancy/rate-limits.ts'
import type { OpenedRecord } from '../../../src/tenancy/usage-record.ts'
import { openedRecord } from '../seed/usage-records.ts'

export const ROOMY = {
  requestsPerMinute: 1_000_000,
  requestsPerDay: 1_000_000,
  tokensPerMinute: 1_000_000,
  tokensPerDay: 1_000_000,
}

/** Any number of requests may run at once. */
export const ANY_NUMBER: ConcurrencyLimits = { organization: null, key: null, models: new Map() }

export const NO_FUNDS: Funds = {
  billing: 'none',
  granted: 0,
  spent: 0,
  spendingLimit: null,
  projectSpent: 0,
}

export function prepaid(changes: Partial<Funds> = {}): Funds {
  return { ...NO_FUNDS, billing: 'prepaid', ...changes }
}

/** A key without limits, but for the test's. */
export function keyLimits(changes: Partial<KeyLimits> = {}): KeyLimits {
  const month = utcMonth(Date.now())
  const none = { expiresAtMs: null, requestsPerMinute: null, spendingLimit: null }
  return { id: crypto.randomUUID(), ...none, spent: 0, month, ...changes }
}

/** What a request asks for that opens no record, of an organization of its own. */
export function askOf(changes: Partial<LimitsAsk> = {}): LimitsAsk {
  return {
    organizationId: crypto.randomUUID(),
    projectId: crypto.randomUUID(),
    version: 1,
    fresh: true,
    limits: ROOMY,
    concurrency: ANY_NUMBER,
    tokens: 10,
    funds: NO_FUNDS,
    key: null,
    record: null,
    ...changes,
  }
}

/** A new request of the same organization, which opens a record. */
export function opening(ask: LimitsAsk, changes: Partial<OpenedRecord> = {}): LimitsAsk {
  const { organizationId, projectId, key } = ask
  const free = { price: null, reserved: 0 }
  const limited = key === null || key.spendingLimit === null ? {} : { limitsId: key.id }
  const known = { organizationId, projectId, ...limited, ...free }
  return { ...ask, record: openedRecord({ ...known, ...changes }) }
}

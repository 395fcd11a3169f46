import type { Funds } from '../../src/tenancy/funds.ts'
import type { LimitsAsk } from '../../src/tenancy/rate-limits.ts'
import type { OpenedRecord } from '../../src/tenancy/usage-record.ts'
import { openedRecord } from './usage-records.ts'

export const ROOMY = {
  requestsPerMinute: 1_000_000,
  requestsPerDay: 1_000_000,
  tokensPerMinute: 1_000_000,
  tokensPerDay: 1_000_000,
}

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

/** What a request asks for that opens no record, of an organization of its own. */
export function askOf(changes: Partial<LimitsAsk> = {}): LimitsAsk {
  return {
    organizationId: crypto.randomUUID(),
    projectId: crypto.randomUUID(),
    version: 1,
    fresh: true,
    limits: ROOMY,
    tokens: 10,
    funds: NO_FUNDS,
    record: null,
    ...changes,
  }
}

/** A new request of the same organization, which opens a record. */
export function opening(ask: LimitsAsk, changes: Partial<OpenedRecord> = {}): LimitsAsk {
  const { organizationId, projectId } = ask
  const free = { price: null, reserved: 0 }
  return { ...ask, record: openedRecord({ organizationId, projectId, ...free, ...changes }) }
}

import type { Pool } from 'pg'
import type { Random } from '../../harness/figures/random.ts'
import { logged, usageRecord } from '../../harness/seed/usage-records.ts'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { postUsage } from '../../../src/store/ledger/usage-records.ts'
import type { UsageRecord } from '../../../src/tenancy/usage-record.ts'
import { existedIn, type Customer } from './organizations.ts'
import { monthFrom } from './months.ts'

const MODELS = ['example/large', 'example/small', 'example/odd "name", 模型'] as const
const RECORDS_MAX = 12
const BATCH_RECORDS = 1_000
/** Closed as lost by a worker, and replaced by the record of its own process. */
const REPLACED_SHARE = 0.15
/** Posted after the statement of its month. */
const LATE_SHARE = 0.15

/** Usage of one month: what is posted before its statement, and what after. */
export type Drawn = { readonly inTime: UsageRecord[]; readonly late: UsageRecord[] }

/**
 * Requests at any moment of the month while the organization existed, some at its first and last
 * millisecond. Of an organization that has no statement afterwards nothing is late.
 */
export function drawUsage(
  random: Random,
  customers: readonly Customer[],
  month: number,
  mayBeLate: boolean,
): Drawn {
  const drawn: Drawn = { inTime: [], late: [] }
  const next = monthFrom(month, 1)
  for (const customer of customers.filter((each) => existedIn(each, month))) {
    const first = Math.max(month, customer.createdMs)
    const last = Math.min(next - 1, customer.deletedMs)
    const canBeLate = mayBeLate && existedIn(customer, next)
    for (let left = random.between(0, RECORDS_MAX); left > 0; left -= 1) {
      const isEdge = random.chance(0.1)
      const atMs = isEdge ? random.pick([first, last]) : random.between(first, last)
      const record = drawRecord(random, customer, atMs)
      const isLate = canBeLate && random.chance(LATE_SHARE)
      if (random.chance(REPLACED_SHARE)) drawn.inTime.push(lostForm(random, record))
      if (isLate) drawn.late.push(record)
      else drawn.inTime.push(record)
    }
  }
  return drawn
}

function drawRecord(random: Random, customer: Customer, atMs: number): UsageRecord {
  const promptTokens = random.between(0, 90_000)
  const completionTokens = random.between(0, 9_000)
  return usageRecord({
    id: uuidV7(atMs),
    settledAtMs: atMs + random.between(0, 60_000),
    organizationId: customer.id,
    projectId: random.pick(customer.projects),
    credentialId: random.pick(customer.credentials),
    model: random.pick(MODELS),
    price: customer.prices[atMs < customer.changedMs ? 0 : 1],
    promptTokens,
    cachedTokens: random.between(0, promptTokens),
    completionTokens,
    reasoningTokens: random.between(0, completionTokens),
    outcome: random.pick(['completed', 'completed', 'failed', 'abandoned']),
  })
}

/** Fewer tokens or more: a request that was closed too early may have gone on or not. */
function lostForm(random: Random, record: UsageRecord): UsageRecord {
  const completionTokens = random.between(0, 9_000)
  const reasoningTokens = random.between(0, completionTokens)
  const { cost: _cost, ...known } = record
  const outcome = 'lost'
  const basis = 'checkpoint'
  return usageRecord({ ...known, completionTokens, reasoningTokens, outcome, basis })
}

/** Posts what is lost first, in a batch of its own, as a worker that closed it did. */
export async function postAll(pool: Pool, records: readonly UsageRecord[]): Promise<number> {
  const lost = records.filter(({ outcome }) => outcome === 'lost')
  const whole = records.filter(({ outcome }) => outcome !== 'lost')
  let replaced = 0
  for (const part of [lost, whole])
    for (let from = 0; from < part.length; from += BATCH_RECORDS) {
      const entries = part.slice(from, from + BATCH_RECORDS).map(logged)
      const result = await postUsage(pool, entries)
      const done = result.posted + result.replaced.length
      if (done !== entries.length) throw new Error(`posted ${done} of ${entries.length} records`)
      replaced += result.replaced.length
    }
  return replaced
}

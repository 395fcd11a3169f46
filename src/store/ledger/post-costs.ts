import type { PoolClient } from 'pg'
import { HOUR_MS } from '../../lib/time.ts'
import { usageAccount } from './double-entry.ts'
import { column, textColumn } from '../postgres/column.ts'
import type { CountedUsage } from '../../tenancy/usage-record.ts'
import type { UsageChanges } from './roll-ups.ts'

// Usage of an organization that is not in the database is posted too.
const ADD_TO_ACCOUNTS = `
  insert into ledger_accounts (id, organization_id, debits, credits)
  select given.account, organizations.id, given.debit, given.credit
  from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[])
    as given (account, organization_id, debit, credit)
  left join organizations on organizations.id = given.organization_id
  order by 1
  on conflict (id) do update set
    debits = ledger_accounts.debits + excluded.debits,
    credits = ledger_accounts.credits + excluded.credits`

const ADD_TRANSFERS = `
  insert into usage_transfers (hour, debit_account, credit_account, amount)
  select $1::timestamptz, debit_account, credit_account, amount
  from unnest($2::text[], $3::text[], $4::bigint[])
  as given (debit_account, credit_account, amount)
  order by debit_account, credit_account
  on conflict (hour, debit_account, credit_account, kind)
  do update set amount = usage_transfers.amount + excluded.amount`

const ADD_TO_REVENUE = `
  update ledger_accounts set debits = debits + $1, credits = credits + $2 where id = 'revenue'`

/**
 * Transfers the costs of a batch from each organization's usage account to the revenue account, or
 * back if the batch removed more than it added. An organization has at most one transfer in each
 * direction per hour, and the batches of the hour add to it: batches are small when usage is low,
 * and one transfer per batch could be as many transfers as there are records.
 */
export async function postCosts(
  client: PoolClient,
  changes: UsageChanges,
  nowMs = Date.now(),
): Promise<void> {
  const costs = sumCosts(changes)
  if (costs.length === 0) return
  const debits = costs.map(([, cost]) => (cost > 0n ? cost : 0n))
  const credits = costs.map(([, cost]) => (cost < 0n ? -cost : 0n))
  const usage = costs.map(([id]) => usageAccount(id))
  await client.query({
    name: 'usage-accounts',
    text: ADD_TO_ACCOUNTS,
    values: [column(usage), column(costs.map(([id]) => id)), column(debits), column(credits)],
  })
  const from = usage.map((account, at) => (debits[at] === 0n ? 'revenue' : account))
  const to = usage.map((account, at) => (debits[at] === 0n ? account : 'revenue'))
  await client.query({
    name: 'usage-transfers',
    text: ADD_TRANSFERS,
    values: [
      new Date(nowMs - (nowMs % HOUR_MS)),
      textColumn(from),
      textColumn(to),
      column(costs.map(([, cost]) => (cost < 0n ? -cost : cost))),
    ],
  })
  // Last, because workers queue here: each waits for the previous one to commit.
  await client.query({
    name: 'usage-revenue',
    text: ADD_TO_REVENUE,
    values: [`${sum(credits)}`, `${sum(debits)}`],
  })
}

/** The cost of the batch for each organization, in the order of their ids. */
function sumCosts({ added, removed }: UsageChanges): [string, bigint][] {
  const costs = new Map<string, bigint>()
  const add = ({ organizationId }: CountedUsage, cost: number) => {
    if (cost !== 0) costs.set(organizationId, (costs.get(organizationId) ?? 0n) + BigInt(cost))
  }
  for (const usage of added) add(usage, usage.cost)
  for (const usage of removed) add(usage, -usage.cost)
  const owed = [...costs].filter(([, cost]) => cost !== 0n)
  return owed.toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

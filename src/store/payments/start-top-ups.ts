import { sql, type Kysely, type Transaction } from 'kysely'
import type { TopUpBound } from '../../contract/payments/automatic-top-up.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { chargeFor } from '../../tenancy/money/top-up.ts'
import type { Tables } from '../postgres/tables.ts'
import { chargedThisMonth, queueBoundEmail, type StoppedTopUp } from './top-ups.ts'

/** Organizations whose top-up is started in one transaction each, per run. */
const BATCH_ORGANIZATIONS = 200

/** The card is not charged after this time: the provider forgets the keys of its requests. */
const OPEN_HOURS = 23

export type TopUpRules = {
  readonly currency: string
  /** Plans that are paid from a balance. */
  readonly prepaidPlans: readonly string[]
  /** In micro-units. */
  readonly chargeMax: number
  readonly pauseMinutes: number
  readonly perDay: number
}

type Candidate = { readonly id: string }

/**
 * Writes a row for each organization whose balance is below its threshold. Whoever has the
 * provider's key charges it. Returns how many were started, and how many organizations there were.
 */
export async function startTopUps(
  database: Kysely<Tables>,
  rules: TopUpRules,
): Promise<{ readonly started: number; readonly more: boolean }> {
  const candidates = await findCandidates(database, rules)
  let started = 0
  for (const { id } of candidates)
    if (await database.transaction().execute(async (transaction) => start(transaction, id, rules)))
      started += 1
  return { started, more: started > 0 && candidates.length === BATCH_ORGANIZATIONS }
}

/** Those that a bound has stopped already come last, so that they hold up nobody. */
async function findCandidates(
  database: Kysely<Tables>,
  { prepaidPlans }: TopUpRules,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select organizations.id from ${ELIGIBLE} and plan = any(${[...prepaidPlans]}::text[])
    order by bound is not null, attempted_at nulls first limit ${BATCH_ORGANIZATIONS}
  `.execute(database)
  return rows
}

const ELIGIBLE = sql`automatic_top_ups as given
  join organizations on organizations.id = given.organization_id
  join provider_customers as customer on customer.organization_id = given.organization_id
  left join ledger_accounts as funds on funds.id = 'funds:' || given.organization_id
  left join ledger_accounts as spent on spent.id = 'usage:' || given.organization_id
  where enabled and paused is null and (not_before is null or not_before <= now())
    and deleted_at is null and suspended_at is null and billing_state = 'ok'
    and card_ref is not null
    and coalesce(funds.credits - funds.debits, 0) + coalesce(spent.credits - spent.debits, 0)
      < threshold
    and not exists (select from payments where organization_id = given.organization_id
      and kind = 'automatic'
      and state in ('created', 'open', 'processing', 'needs_customer', 'attention'))`

type Locked = {
  readonly threshold: number
  readonly amount: number
  readonly monthMax: number
  /** Charges a day that an owner agreed to. */
  readonly dayMax: number
  readonly consentedBy: string
  readonly card: string
  readonly balance: number
  readonly today: number
  readonly isSoon: boolean
  readonly taxShare: number
}

/** All is read again under the organization's lock, which whoever pauses it takes too. */
async function start(
  transaction: Transaction<Tables>,
  id: string,
  rules: TopUpRules,
): Promise<boolean> {
  await sql`select from organizations where id = ${id} for no key update`.execute(transaction)
  const { rows } = await sql<Locked>`
    select threshold, amount, month_max as "monthMax", day_max as "dayMax",
      consented_by as "consentedBy",
      card_ref as card,
      coalesce(funds.credits - funds.debits, 0) + coalesce(spent.credits - spent.debits, 0)
        as balance,
      (select count(*)::int from payments where organization_id = ${id} and kind = 'automatic'
        and created_at >= date_trunc('day', now(), 'UTC')) as today,
      exists (select from payments where organization_id = ${id} and kind = 'automatic'
        and created_at > now() - ${rules.pauseMinutes} * interval '1 minute') as "isSoon",
      ${taxShareOf(id)} as "taxShare"
    from ${ELIGIBLE} and organizations.id = ${id} and plan = any(${[...rules.prepaidPlans]}::text[])
  `.execute(transaction)
  const found = rows[0]
  if (found === undefined || found.isSoon) return false
  if (found.today >= Math.min(rules.perDay, found.dayMax)) return stopAt(transaction, id, 'day')
  const left = found.monthMax - (await chargedThisMonth(transaction, id))
  const amount = chargeFor({ ...found, chargeMax: rules.chargeMax, left })
  if (amount === 0) return stopAt(transaction, id, 'month')
  await insert(transaction, id, { ...found, amount, left, currency: rules.currency })
  return true
}

/** As of the last payment. A wrong guess is found before the card is charged. */
function taxShareOf(id: string) {
  return sql`coalesce((select tax::double precision / amount from payments
    where organization_id = ${id} and state = 'succeeded' and tax is not null
    order by id desc limit 1), 0)`
}

async function insert(
  transaction: Transaction<Tables>,
  id: string,
  { amount, left, currency, card, consentedBy }: Locked & { left: number; currency: string },
): Promise<void> {
  await sql`insert into payments (id, organization_id, kind, amount, currency, started_by,
      card_ref, total_max, expires_at, next_at)
    values (${uuidV7()}, ${id}, 'automatic', ${amount}, ${currency}, ${consentedBy}, ${card},
      ${left}, now() + ${OPEN_HOURS} * interval '1 hour', now())`.execute(transaction)
  await sql`update automatic_top_ups set attempted_at = now(), bound = null, bound_at = null
    where organization_id = ${id}`.execute(transaction)
}

/** Owners are told once in each day or month that a bound has stopped it. */
async function stopAt(
  transaction: Transaction<Tables>,
  id: string,
  bound: TopUpBound,
): Promise<false> {
  const { rows } = await sql<StoppedTopUp>`
    update automatic_top_ups set bound = ${bound}, bound_at = now()
    where organization_id = ${id}
      and (bound is distinct from ${bound} or bound_at < date_trunc(${bound}, now(), 'UTC'))
    returning bound, bound_at as "boundAt", month_max as "monthMax"`.execute(transaction)
  for (const stopped of rows) await queueBoundEmail(transaction, id, stopped)
  return false
}

import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import type { StripeObject } from '../../harness/payments/journal.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'

const MICRO_PER_CENT = 10_000

export type ChargesFound = {
  readonly charges: number
  readonly paid: number
  readonly declined: number
  /** Of those: the provider would have taken more or less than the total. */
  readonly otherAmount: number
  readonly toConfirm: number
  /** In cents. */
  readonly theirs: number
  readonly ours: number
  readonly lost: readonly string[]
  readonly surplus: readonly string[]
  /** The most of an organization in a UTC day. */
  readonly aDay: number
  readonly aboveMonth: number
  readonly afterHardDecline: number
  readonly askedTwice: number
  readonly payable: number
  readonly attention: number
  readonly violations: readonly string[]
}

/** What the provider did beside what we wrote. */
export async function compareCharges(
  { pool }: Postgres,
  provider: ProviderControl,
): Promise<ChargesFound> {
  const number = async (text: string) =>
    Number((await pool.query<{ value: string }>(text)).rows[0]?.value ?? 0)
  const inState = async (state: string) =>
    number(`select count(*) as value from payments where kind = 'automatic' and state = '${state}'`)
  const objects = await provider.objects()
  const { held, violations } = await provider.sums()
  const { rows } = await pool.query<{ id: string; state: string }>(
    `select id, state from payments where kind = 'automatic'`,
  )
  const credited = await pool.query<{ id: string }>(
    `select substr(reference, 9) as id from transfers where reference like 'payment:%'`,
  )
  const creditedIds = new Set(credited.rows.map(({ id }) => id))
  const paid = new Set(paidOf(objects))
  const over = new Set(
    rows.filter(({ state }) => state === 'failed' || state === 'expired').map(({ id }) => id),
  )
  return {
    charges: rows.length,
    paid: paid.size,
    declined: await inState('failed'),
    otherAmount: await number(
      `select count(*) as value from payments where failure = 'other_amount'`,
    ),
    toConfirm: await number(
      `select count(*) as value from payments where failure = 'authentication_required'`,
    ),
    theirs: held,
    ours:
      (await number(
        `select debits - credits as value from ledger_accounts where id = 'provider:stripe'`,
      )) / MICRO_PER_CENT,
    lost: [...paid].filter((id) => !creditedIds.has(id)),
    surplus: [...creditedIds].filter((id) => !paid.has(id)),
    aDay: await number(A_DAY),
    aboveMonth: await number(ABOVE_MONTH),
    afterHardDecline: await number(AFTER_HARD_DECLINE),
    askedTwice: askedTwice(objects),
    payable: objects.filter((each) => each['status'] === 'open' && over.has(idOf(each))).length,
    attention: await inState('attention'),
    violations,
  }
}

function idOf(object: StripeObject): string {
  return (object['metadata'] as { payment_id?: string } | undefined)?.payment_id ?? ''
}

function paidOf(objects: readonly StripeObject[]): string[] {
  return objects.filter(({ object, status }) => object === 'invoice' && status === 'paid').map(idOf)
}

/** Payments for which a bank was asked again after it had declined. */
function askedTwice(objects: readonly StripeObject[]): number {
  const charges = objects.filter(({ object }) => object === 'charge')
  const intents = new Map(objects.map((object) => [object.id, object]))
  const declined = charges.filter(
    (charge) =>
      intents.get(String(charge['payment_intent']))?.['status'] === 'requires_payment_method',
  )
  const asked = (id: string) => charges.filter((charge) => idOf(charge) === id).length
  return declined.filter((charge) => asked(idOf(charge)) > 1).length
}

const A_DAY = `select max(n) as value from (select count(*) as n from payments
  where kind = 'automatic' group by organization_id, date_trunc('day', created_at, 'UTC')) as days`

const ABOVE_MONTH = `select count(*) as value from (
  select organization_id from payments join automatic_top_ups using (organization_id)
  where kind = 'automatic' and state = 'succeeded'
  group by organization_id, month_max, date_trunc('month', payments.created_at, 'UTC')
  having sum(payments.amount + coalesce(tax, 0)) > month_max) as months`

/**
 * The time in the id of a charge is that of its decision, under the organization's lock; that in
 * `created_at` is from before the wait for it. Clocks of two servers are compared here.
 */
const AFTER_HARD_DECLINE = `select count(*) as value from payments as later
  join payments as declined using (organization_id)
  where later.kind = 'automatic' and declined.failure = 'generic_decline'
    and declined.state = 'failed'
    and uuid_extract_timestamp(later.id) > declined.changed_at
    and not exists (select from audit_events as resumed
      where resumed.organization_id = later.organization_id and action = 'top_up.resume'
        and made_at > declined.changed_at - interval '1 second'
        and made_at < uuid_extract_timestamp(later.id) + interval '1 second')`

import { sql, type Kysely, type Transaction } from 'kysely'
import type { TopUpLetterKind } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'

type NewLetter = {
  readonly organizationId: string
  readonly kind: TopUpLetterKind
  readonly paymentId: string | null
  readonly reason: string
}

/** In the transaction of what it tells, so that it is sent if and only if that happened. */
export async function queueLetter(
  transaction: Transaction<Tables>,
  { organizationId, kind, paymentId, reason }: NewLetter,
): Promise<void> {
  await transaction
    .insertInto('top_up_letters')
    .values({ organization_id: organizationId, kind, payment_id: paymentId, reason })
    .execute()
}

export type DueLetter = {
  readonly id: string
  readonly kind: TopUpLetterKind
  readonly reason: string
  readonly attempts: number
  readonly madeAt: Date
  readonly delivered: readonly string[]
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string }
  readonly amount: number | null
  readonly tax: number | null
  readonly failure: string | null
  /** Where its owner can confirm the payment, as long as they can. */
  readonly url: string | null
  readonly bounds: { readonly monthMax: number | null }
}

type DueRow = Omit<DueLetter, 'organization' | 'bounds'> & {
  readonly organizationId: string
  readonly slug: string
  readonly name: string
  readonly monthMax: number | null
}

/** Takes letters that are due, for as long as the lease lasts. */
export async function claimLetters(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<DueLetter[]> {
  const { rows } = await sql<DueRow>`
    with claimed as (
      update top_up_letters set attempts = attempts + 1,
        next_at = now() + ${leaseSeconds} * interval '1 second'
      where id = any(array(select id from top_up_letters where next_at <= now()
        order by next_at limit ${limit} for no key update skip locked))
      returning *
    )
    select claimed.id, claimed.kind, claimed.reason, claimed.attempts, made_at as "madeAt",
      delivered, organizations.id as "organizationId", slug, name, payments.amount, payments.tax,
      payments.failure, payments.url, automatic_top_ups.month_max as "monthMax"
    from claimed join organizations on organizations.id = claimed.organization_id
    left join payments on payments.id = claimed.payment_id
    left join automatic_top_ups on automatic_top_ups.organization_id = claimed.organization_id
    `.execute(database)
  return rows.map(({ organizationId, slug, name, monthMax, ...row }) => ({
    ...row,
    organization: { id: organizationId, slug, name },
    bounds: { monthMax },
  }))
}

/** A recorded delivery is not repeated, whoever takes the letter next. */
export async function noteLetterDelivered(
  database: Kysely<Tables>,
  id: string,
  address: string,
): Promise<void> {
  await sql`update top_up_letters set delivered = array_append(delivered, ${address})
    where id = ${id} and not ${address} = any(delivered)`.execute(database)
}

/** When it is tried again; null for not any more. */
export async function releaseLetter(
  database: Kysely<Tables>,
  id: string,
  nextSeconds: number | null,
): Promise<void> {
  await sql`update top_up_letters
    set next_at = now() + ${nextSeconds}::double precision * interval '1 second'
    where id = ${id}`.execute(database)
}

const KEPT_DAYS = 90
const FORGOTTEN_AT_ONCE = 1_000

/** Letters that nobody waits for any more. */
export async function forgetLetters(database: Kysely<Tables>): Promise<void> {
  await sql`delete from top_up_letters where id = any(array(
    select id from top_up_letters where next_at is null
      and made_at < now() - ${KEPT_DAYS} * interval '1 day'
    order by made_at limit ${FORGOTTEN_AT_ONCE}))`.execute(database)
}

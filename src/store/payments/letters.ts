import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type LetterKind = 'payment_paid' | 'payment_alert' | 'credit_expires'

export type NewLetter = {
  /** What it is about: a second letter with the same key is not written. */
  readonly key: string
  readonly kind: LetterKind
  /** Null for the operators of the service. */
  readonly organizationId: string | null
  readonly facts: Readonly<Record<string, string | number>>
}

export type DueLetter = NewLetter & {
  readonly attempts: number
  readonly delivered: readonly string[]
}

/** Sent at least once after this transaction, and not at all if it is rolled back. */
export async function queueLetter(
  database: Kysely<Tables> | Transaction<Tables>,
  { key, kind, organizationId, facts }: NewLetter,
): Promise<void> {
  await sql`insert into letters (key, kind, organization_id, facts)
    values (${key}, ${kind}, ${organizationId}, ${JSON.stringify(facts)})
    on conflict (key) do nothing`.execute(database)
}

/** Takes letters that are due, oldest first, for as long as the lease lasts. */
export async function claimLetters(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<DueLetter[]> {
  const { rows } = await sql<DueLetter>`
    update letters set attempts = attempts + 1,
      next_at = now() + ${leaseSeconds} * interval '1 second'
    where key = any(array(
      select key from letters where sent_at is null and given_up_at is null and next_at <= now()
      order by next_at limit ${limit} for no key update skip locked))
    returning key, kind, organization_id as "organizationId", facts, attempts, delivered`.execute(
    database,
  )
  return rows
}

/** A recorded delivery is not repeated, whoever takes the letter next. */
export async function noteLetterDelivered(
  database: Kysely<Tables>,
  key: string,
  address: string,
): Promise<void> {
  await sql`update letters set delivered = array_append(delivered, ${address})
    where key = ${key} and not ${address} = any(delivered)`.execute(database)
}

/** Addresses are kept no longer than they are needed, here and when it is given up. */
export async function noteLetterSent(database: Kysely<Tables>, key: string): Promise<void> {
  await sql`update letters set sent_at = now(), delivered = '{}' where key = ${key}`.execute(
    database,
  )
}

/** Returns whether it was given up, because it could not be delivered for this long. */
export async function retryLetter(
  database: Kysely<Tables>,
  key: string,
  { delaySeconds, givenUpAfterSeconds }: LetterTimes,
): Promise<boolean> {
  const { rows } = await sql<{ givenUp: boolean }>`
    update letters set next_at = now() + ${delaySeconds} * interval '1 second',
      given_up_at = case when made_at < now() - ${givenUpAfterSeconds} * interval '1 second'
        then now() end,
      delivered = case when made_at < now() - ${givenUpAfterSeconds} * interval '1 second'
        then '{}' else delivered end
    where key = ${key} returning given_up_at is not null as "givenUp"`.execute(database)
  return rows[0]?.givenUp ?? false
}

export type LetterTimes = { readonly delaySeconds: number; readonly givenUpAfterSeconds: number }

/** Where no mail is sent, nothing waits for it. */
export async function giveUpLetters(database: Kysely<Tables>): Promise<void> {
  await sql`update letters set given_up_at = now(), delivered = '{}'
    where sent_at is null and given_up_at is null`.execute(database)
}

/** Longer than anything could cause the same letter again. */
const KEPT_DAYS = 90
const FORGOTTEN_AT_ONCE = 1_000

export async function forgetLetters(database: Kysely<Tables>): Promise<void> {
  await sql`delete from letters where key = any(array(
    select key from letters where made_at < now() - ${KEPT_DAYS} * interval '1 day'
    order by made_at limit ${FORGOTTEN_AT_ONCE}))`.execute(database)
}

import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type PaymentSums = {
  /** Neither over nor waiting for an operator. */
  readonly pending: number
  readonly oldestSeconds: number
  readonly attention: number
  /** Of those the one that was the last to need a decision. */
  readonly lastAttention: string | null
  /** Called paid long ago, and not in the ledger. */
  readonly uncredited: number
  /** Not over, and changed within the last day. */
  readonly disputes: number
  /** Automatic top-ups that do nothing until an owner resumes them. */
  readonly topUpsPaused: number
  /** New events of the last hour, and those of them that no webhook told. */
  readonly heard: number
  readonly heardByPoll: number
  /** When the provider's list was last read, or first tried to be; null if nobody has tried. */
  readonly polledAt: Date | null
  /** Between the provider's books and ours, in micro-units, where hints have not helped. */
  readonly difference: number
}

/** After this time a payment that the provider called paid should be in the ledger. */
const CREDITED_WITHIN = '10 minutes'

/**
 * What an operator should know of payments. It reads what is not over and what is due, never the
 * whole table. `paidTypes` are the provider's words for "money was received": the events are not
 * believed, but one that led to nothing is a reason to look.
 */
export async function sumPayments(
  database: Kysely<Tables>,
  paidTypes: readonly string[],
): Promise<PaymentSums> {
  const { rows } = await sql<PaymentSums>`
    select open.*, uncredited, disputes, "topUpsPaused", heard, "heardByPoll", difference,
      coalesce(polled_at, begun_at) as "polledAt"
    from (
      select count(*) filter (where state <> 'attention')::int as pending,
        count(*) filter (where state = 'attention')::int as attention,
        (array_agg(id::text order by changed_at desc, id desc)
          filter (where state = 'attention'))[1] as "lastAttention",
        coalesce(extract(epoch from now() - min(created_at)
          filter (where state <> 'attention')), 0)::double precision as "oldestSeconds"
      from payments where state not in ('succeeded', 'failed', 'expired')
    ) open, (
      select count(*)::int as uncredited from payments
      where next_at is not null and state not in ('succeeded', 'attention')
        and exists (select from provider_events heard
          where heard.ref = payments.ref and heard.type = any(${[...paidTypes]})
          and heard.made_at < now() - ${CREDITED_WITHIN}::interval)
    ) late, (
      select count(*)::int as disputes from disputes
      where state in ('inquiry', 'open') and changed_at > now() - interval '1 day'
    ) disputed, (
      select count(*)::int as "topUpsPaused" from automatic_top_ups
      join organizations on organizations.id = organization_id
      where paused is not null and deleted_at is null
    ) stopped, (
      select count(*)::int as heard,
        count(*) filter (where source = 'poll')::int as "heardByPoll"
      from provider_events where made_at > now() - interval '1 hour'
    ) lately, (
      select coalesce(sum(difference), 0)::bigint as difference
      from provider_days where alert and compared_until > now()
    ) compared, provider_cursors where provider_cursors.name = 'events'`.execute(database)
  return rows[0]!
}

import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/**
 * Tells the owners whose kept card expires with this UTC month that automatic top-up will not be
 * able to charge it: once for each card and month.
 */
export async function queueExpiringCards(database: Kysely<Tables>): Promise<void> {
  await sql`
    with this as (select now() at time zone 'utc' as month)
    insert into queued_emails (key, kind, organization_id, facts)
    select 'card-expires:' || customers.organization_id || ':' || card_ref || ':'
        || to_char(month, 'YYYY-MM'), 'top_up_card_expires', customers.organization_id,
      jsonb_build_object('brand', card_brand, 'last_four', card_last_four,
        'month', to_char(month, 'YYYY-MM'))
    from this cross join automatic_top_ups
    join provider_customers as customers using (organization_id)
    join organizations on organizations.id = customers.organization_id
    where enabled and paused is null and card_ref is not null
      and card_expires_month = extract(month from month)
      and card_expires_year = extract(year from month)
      and deleted_at is null and suspended_at is null
    on conflict (key) do nothing`.execute(database)
}

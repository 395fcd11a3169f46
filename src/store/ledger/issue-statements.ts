import type { Pool } from 'pg'
import { fromMinor } from '../../tenancy/money/minor-units.ts'
import { smallestCharge } from '../../tenancy/money/smallest-charge.ts'

const SUMS = [
  'requests',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost',
] as const

const each = (form: (name: string) => string) => SUMS.map(form).join(', ')

/**
 * One statement for each organization that existed in the month and has none of it. Cells are what
 * `usage_daily` has now, of the month and the one before, less what earlier statements have of it.
 * Two workers may run it at once: the second finds the row of the first and adds no cells.
 */
const STATEMENTS = `
  with due as (
    select id as organization_id from organizations o
    where created_at < ($1::date + interval '1 month') at time zone 'utc'
      and (deleted_at is null or deleted_at >= $1::timestamp at time zone 'utc')
      and not exists (select from statements s where s.organization_id = o.id and month = $1)
    order by id limit $2
  ), used as (
    select organization_id, date_trunc('month', day::timestamp)::date as used_in, project_id, model,
      ${each((name) => `sum(${name})::bigint as ${name}`)}
    from usage_daily join due using (organization_id)
    where day >= $1::date - interval '1 month' and day < $1::date + interval '1 month'
    group by 1, 2, 3, 4
  ), stated as (
    select organization_id, used_in, project_id, model,
      ${each((name) => `sum(${name})::bigint as ${name}`)}
    from statement_cells join due using (organization_id)
    where month >= $1::date - interval '1 month' and used_in >= $1::date - interval '1 month'
    group by 1, 2, 3, 4
  ), cells as (
    select organization_id, used_in, project_id, model,
      ${each((name) => `used.${name} - coalesce(stated.${name}, 0) as ${name}`)}
    from used left join stated using (organization_id, used_in, project_id, model)
    where (${each((name) => `used.${name}`)})
      <> (${each((name) => `coalesce(stated.${name}, 0)`)})
  ), issued as (
    insert into statements (organization_id, month, ${SUMS.join(', ')})
    select organization_id, $1, ${each((name) => `coalesce(sum(${name}), 0)`)}
    from due left join cells using (organization_id) group by organization_id
    on conflict do nothing returning organization_id
  ), written as (
    insert into statement_cells
      (organization_id, month, used_in, project_id, model, ${SUMS.join(', ')})
    select organization_id, $1, used_in, project_id, model, ${SUMS.join(', ')}
    from cells join issued using (organization_id)
  )`

const COUNTED = 'select count(*)::integer as due from due'

/** The same whoever writes it and whenever, so that the provider knows it even after a restore. */
const INVOICE_ID = `
  (lpad(to_hex((extract(epoch from $1::date + interval '1 month') * 1000)::bigint), 12, '0')
  || '7' || substr(md5(organization_id || to_char($1::date, 'YYYY-MM')), 1, 3)
  || 'a' || substr(md5(organization_id || to_char($1::date, 'YYYY-MM')), 4, 15))::uuid`

/**
 * What an organization that pays afterwards owes is its balance, without the cost of the months
 * that are not over, and without what an earlier invoice will take from it when it is issued.
 */
const INVOICES = `
  owed as (
    select organization_id, -coalesce((
        select sum(credits - debits) from ledger_accounts
        where id in ('funds:' || o.id, 'usage:' || o.id)), 0)
      - coalesce((
        select sum(cost) from usage_daily
        where usage_daily.organization_id = o.id
          and day >= $1::date + interval '1 month'), 0)
      - coalesce((
        select sum(amount) from payments
        where payments.organization_id = o.id and kind = 'invoice'
          and issued_at is null and state not in ('failed', 'expired')), 0) as amount
    from issued join organizations o on o.id = organization_id
    where deleted_at is null and plan = any($3::text[])
  ), invoiced as (
    insert into payments (id, organization_id, kind, amount, currency, statement_month,
      expires_at, next_at)
    select ${INVOICE_ID}, organization_id, 'invoice', amount - mod(amount, $4::bigint), $5,
      to_char($1::date, 'YYYY-MM'), now() + $7 * interval '1 day', now()
    from owed where amount >= $6 on conflict do nothing
  )`

export type InvoiceRules = {
  readonly currency: string
  /** Plans that are paid afterwards. */
  readonly postpaidPlans: readonly string[]
  readonly daysUntilDue: number
}

/**
 * Issues the statements of a month (`2026-10-01`) for a batch of organizations, and with rules the
 * invoices of those that owe something. Returns how many had no statement. The first one of an
 * organization has what it used in the month before, too.
 */
export async function issueStatements(
  pool: Pick<Pool, 'query'>,
  month: string,
  limit: number,
  rules?: InvoiceRules,
): Promise<number> {
  const { rows } =
    rules === undefined
      ? await pool.query<{ due: number }>(`${STATEMENTS} ${COUNTED}`, [month, limit])
      : await pool.query<{ due: number }>(`${STATEMENTS}, ${INVOICES} ${COUNTED}`, [
          month,
          limit,
          ...valuesOf(rules),
        ])
  return rows[0]?.due ?? 0
}

function valuesOf({ currency, postpaidPlans, daysUntilDue }: InvoiceRules): unknown[] {
  const unit = fromMinor(currency, 1)
  return [postpaidPlans, unit, currency, smallestCharge(currency), daysUntilDue]
}

import { sql, type Kysely, type Transaction } from 'kysely'
import { isUuid, type Page } from '../postgres/page.ts'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import type { NamedPayment } from './list-payments.ts'
import type { Tables } from '../postgres/tables.ts'

/** What the statement of a month says that each model cost, dearest first. */
export async function readModelCosts(
  database: Kysely<Tables>,
  organizationId: string,
  month: string,
): Promise<readonly { readonly model: string; readonly cost: number }[]> {
  const { rows } = await sql<{ model: string; cost: number }>`
    select model, sum(cost)::bigint as cost from statement_cells
    where organization_id = ${organizationId} and month = ${`${month}-01`}::date
    group by model having sum(cost) <> 0 order by sum(cost) desc, model`.execute(database)
  return rows
}

/** The oldest invoice that stops requests, if any, and the new version of its organization. */
type NotedMonth = { readonly version: number; readonly month: string | null }

/**
 * Notes the oldest invoice of an organization that has been due for so many days, or that there is
 * none any more. Whoever calls it has locked the organization. Undefined if nothing has changed.
 */
export async function noteOverdueMonth(
  transaction: Transaction<Tables>,
  organizationId: string,
  stopDays: number,
): Promise<NotedMonth | undefined> {
  const { rows } = await sql<NotedMonth>`
    update organizations set version = version + 1, overdue_month = late.month
    from (
      select min(statement_month) as month from payments
      where organization_id = ${organizationId} and kind = 'invoice' and state = 'open'
        and issued_at is not null and expires_at + ${stopDays} * interval '1 day' <= now()
    ) as late
    where id = ${organizationId} and overdue_month is distinct from late.month
    returning version, late.month`.execute(transaction)
  return rows[0]
}

/** Invoices by the month of their statement. */
export async function invoicesOf(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<ReadonlyMap<string, PaymentRow>> {
  const rows = await database
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'invoice')
    .execute()
  return new Map(rows.map((row) => [row.statement_month ?? '', row]))
}

export async function findInvoice(
  database: Kysely<Tables>,
  id: string,
): Promise<PaymentRow | undefined> {
  if (!isUuid(id)) return undefined
  return database
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', 'invoice')
    .executeTakeFirst()
}

/** Of all organizations, those that are not paid, void or written off; newest month first. */
export async function listUnpaidInvoices(
  database: Kysely<Tables>,
  page: Page,
): Promise<NamedPayment[]> {
  return database
    .selectFrom('payments')
    .innerJoin('organizations', 'organizations.id', 'payments.organization_id')
    .selectAll('payments')
    .select(['organizations.slug', 'organizations.name'])
    .where('payments.kind', '=', 'invoice')
    .where('payments.state', 'not in', ['succeeded', 'failed', 'expired'])
    .$if(page.after !== undefined, (query) => query.where('payments.id', '<', page.after ?? ''))
    .orderBy('payments.id', 'desc')
    .limit(page.limit)
    .execute()
}

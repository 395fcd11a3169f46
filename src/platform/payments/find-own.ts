import type { Kysely } from 'kysely'
import { findPayment } from '../../store/payments/payments.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { notFound } from '../use-case/authorize.ts'

/** A payment of the organization, which cannot tell those of others from none. */
export async function findOwnPayment(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<PaymentRow> {
  const row = await findPayment(database, id)
  if (row === undefined || row.organization_id !== organizationId) throw notFound()
  return row
}

/** A payment of any organization, for the operator. */
export async function findAnyPayment(database: Kysely<Tables>, id: string): Promise<PaymentRow> {
  const row = await findPayment(database, id)
  if (row === undefined) throw notFound()
  return row
}

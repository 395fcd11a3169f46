import type { Kysely } from 'kysely'
import type { ListedPayment, PaymentProvider } from '../../../payments/provider.ts'
import { findExisting, findPayments } from '../../../store/payments/lost-payments.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/** A payment that the provider has and that we do not know, or do not know as it is there. */
export type LostPayment = {
  readonly listed: ListedPayment
  readonly row: PaymentRow | undefined
  readonly hasOrganization: boolean
}

/** Payments that are looked up in one query. */
const BATCH = 200

/**
 * What our tables lack of the provider's list, oldest first: a card that is saved later takes the
 * place of one before. Payments without a row, those that are paid and not credited, and those
 * that wait for an operator.
 */
export async function findLost(
  database: Kysely<Tables>,
  provider: PaymentProvider,
  since: Date,
): Promise<LostPayment[]> {
  const lost: LostPayment[] = []
  let batch: ListedPayment[] = []
  const look = async () => {
    lost.push(...(await lostOf(database, batch)))
    batch = []
  }
  for await (const listed of provider.listPayments(since)) {
    // Other products may use the same names.
    if (!isUuid(listed.paymentId) || !isUuid(listed.organizationId)) continue
    batch.push(listed)
    if (batch.length === BATCH) await look()
  }
  await look()
  const timeOf = ({ listed }: LostPayment) => listed.createdAt.getTime()
  return lost.toSorted((a, b) => timeOf(a) - timeOf(b))
}

async function lostOf(
  database: Kysely<Tables>,
  batch: readonly ListedPayment[],
): Promise<LostPayment[]> {
  const ids = (name: 'paymentId' | 'organizationId') => batch.map((listed) => listed[name])
  const rows = await findPayments(database, ids('paymentId'))
  const existing = await findExisting(database, ids('organizationId'))
  return batch.flatMap((listed) => {
    const row = rows.get(listed.paymentId.toLowerCase())
    if (!isLost(listed, row)) return []
    return [{ listed, row, hasOrganization: existing.has(listed.organizationId.toLowerCase()) }]
  })
}

/** What ended unpaid took nothing from anybody, so nobody misses it. */
function isLost({ state, ref }: ListedPayment, row: PaymentRow | undefined): boolean {
  if (row === undefined) return state !== 'over'
  if (row.ref !== null && row.ref !== ref) return false
  if (row.state === 'attention') return true
  return state === 'paid' && row.state !== 'succeeded' && row.resolution === null
}

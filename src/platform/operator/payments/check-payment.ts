import type { OperatorPaymentDetail } from '../../../contract/payments/operator-payment.ts'
import { disputesOf } from '../../../store/payments/disputes.ts'
import { findPayment } from '../../../store/payments/payments.ts'
import { listRefunds, oweNoteAgain } from '../../../store/payments/refunds.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import { readNow } from '../../payments/check-payment.ts'
import { findAnyPayment } from '../../payments/find-own.ts'
import { readAgain } from '../../payments/returned-money/read-due.ts'
import { defineFlow } from '../../use-case/use-case.ts'
import { readDetail } from './show-payment.ts'

/** Reads a payment at the provider now, with its refunds and disputes. */
export const checkAnyPayment = defineFlow(
  { action: 'payment.check_any', permission: 'platform:write' },
  async (
    { environment },
    { payment: id }: { readonly payment: string },
  ): Promise<OperatorPaymentDetail> => {
    const { database } = environment
    const payment = await findAnyPayment(database, id)
    const organization = await findOrganization(database, payment.organization_id)
    // Nobody pays on a page that an operator would open.
    if (payment.ref !== null) await readNow(environment, organization, payment)
    for (const refund of await listRefunds(database, [payment.id])) {
      if (refund.ref !== null) await readAgain(environment, 'refund', refund.ref)
      await oweNoteAgain(database, refund.id)
      const lacksNote = refund.note === 'owed' || refund.note === 'refused'
      if (refund.ref === null || lacksNote) await readAgain(environment, 'request', refund.id)
    }
    for (const { ref } of await disputesOf(database, [payment.id]))
      await readAgain(environment, 'dispute', ref)
    return readDetail(environment, (await findPayment(database, payment.id))!)
  },
)

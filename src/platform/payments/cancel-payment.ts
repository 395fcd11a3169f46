import { ApiError } from '../../contract/error.ts'
import type { Payment } from '../../contract/payments/payment.ts'
import { changePayment, lockPayment } from '../../store/payments/payments.ts'
import { defineChange, defineFlow } from '../use-case/use-case.ts'
import { readNow } from './check-payment.ts'
import { findOwnPayment } from './find-own.ts'
import { pauseFor } from './top-up/pause-for.ts'
import { viewPayment } from './view-payment.ts'

type Input = { readonly payment: string }

/** Ends a page. If somebody paid at the same moment, the payment succeeds all the same. */
export const cancelPayment = defineFlow(
  { action: 'payment.end', permission: 'payments:write' },
  async ({ environment, access }, { payment }: Input): Promise<Payment> => {
    const { organization, actor } = access
    const row = await markCancelled(environment, actor, { organization: organization.id, payment })
    return viewPayment(await readNow(environment, organization, row), true)
  },
)

const markCancelled = defineChange(
  { action: 'payment.cancel', permission: 'payments:write' },
  async ({ transaction, access }, { payment }: Input) => {
    const own = await findOwnPayment(transaction, access.organization.id, payment)
    const row = await lockPayment(transaction, own)
    const target = { kind: 'payment', id: row.id }
    if (row.kind === 'invoice')
      throw new ApiError('conflict', 'An invoice cannot be cancelled. Write to the operator.')
    if (row.cancel && row.state !== 'succeeded') return { value: row, target, unchanged: true }
    if (row.state !== 'open' && row.state !== 'needs_customer')
      throw new ApiError('conflict', `A payment that is ${row.state} cannot be cancelled.`)
    // Otherwise the next one would come in some minutes.
    if (row.kind === 'automatic') await pauseFor(transaction, row, 'cancelled')
    return { value: await changePayment(transaction, row.id, { cancel: true }), target }
  },
)

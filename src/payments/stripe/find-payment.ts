import type { SoughtPayment } from '../provider.ts'
import { Invoice, Session } from './answers.ts'
import { listAll } from './requests/list-all.ts'
import type { Send } from './requests/send-request.ts'

/** Clocks differ, and Stripe's list goes by its own. */
const CLOCK_SPARE_SECONDS = 600

export async function findPayment(
  send: Send,
  { id, kind, customer, createdAt }: SoughtPayment,
): Promise<string | null> {
  const form = { customer, created: { gte: secondsBefore(createdAt) } }
  const objects =
    kind === 'page'
      ? listAll(send, '/v1/checkout/sessions', form, Session)
      : listAll(send, '/v1/invoices', form, Invoice)
  for await (const object of objects) {
    // Drafts of invoices that nobody finalized are written anew.
    const isLeft = kind === 'invoice' && object.status === 'draft'
    if (object.metadata?.['payment_id'] === id && !isLeft) return object.id
  }
  return null
}

/** A time of ours as a bound of Stripe's lists. */
export function secondsBefore(time: Date): number {
  return Math.floor(time.getTime() / 1000) - CLOCK_SPARE_SECONDS
}

import type { Static } from 'typebox'
import { ProviderError } from '../provider-error.ts'
import { Done, idOf, type InvoiceWithIntents } from './answers.ts'
import type { Send } from './requests/send-request.ts'

/**
 * Gives the intents of a finalized invoice our ids, because Stripe copies them to charges, but not
 * from the invoice to its intents. Declines and lost charges are known by them. It may be repeated.
 */
export async function nameIntents(
  send: Send,
  { metadata, payments }: Static<typeof InvoiceWithIntents>,
): Promise<void> {
  for (const { payment } of payments.data) {
    const id = idOf(payment.payment_intent)
    if (id === null) continue
    const path = `/v1/payment_intents/${encodeURIComponent(id)}`
    const form = { metadata: metadata ?? {} }
    await send({ method: 'POST', path, form, answer: Done }).catch(acceptRefusal)
  }
}

/** The money does not depend on it. */
function acceptRefusal(error: unknown): void {
  if (!(error instanceof ProviderError) || error.failure !== 'refused') throw error
}

import { ProviderError } from '../provider-error.ts'
import { OwnedIntent } from './answers.ts'
import type { Send } from './requests/send-request.ts'

/** Intents of pages and invoices have our id; one without it belongs to another product. */
export async function readDecline(send: Send, ref: string): Promise<string | null> {
  const path = `/v1/payment_intents/${encodeURIComponent(ref)}`
  try {
    const { body } = await send({ method: 'GET', path, answer: OwnedIntent })
    return body.metadata?.['payment_id'] ?? null
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'not_found') return null
    throw error
  }
}

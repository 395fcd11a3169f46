import { ProviderError } from '../provider-error.ts'
import { idOf, Warning } from './answers.ts'
import type { Send } from './requests/send-request.ts'

/** The warning names a charge, and the charge its intent, by which we know payments. */
export async function readWarning(send: Send, ref: string): Promise<string | null> {
  const path = `/v1/radar/early_fraud_warnings/${encodeURIComponent(ref)}`
  try {
    const { body } = await send({
      method: 'GET',
      path,
      form: { expand: ['charge'] },
      answer: Warning,
    })
    return idOf(body.charge.payment_intent)
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'not_found') return null
    throw error
  }
}

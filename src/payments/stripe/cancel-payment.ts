import { ProviderError } from '../provider-error.ts'
import { Done, Invoice } from './answers.ts'
import type { Send } from './requests/send-request.ts'

/**
 * Closes a page or makes an invoice void. Both do no harm when they are done twice, so they have no
 * key: a saved answer would hide that the object changed. A draft is deleted: no document of it
 * exists yet.
 */
export async function cancelPayment(send: Send, ref: string): Promise<void> {
  const name = encodeURIComponent(ref)
  const post = (path: string) => send({ method: 'POST', path, answer: Done })
  if (!ref.startsWith('in_')) {
    await post(`/v1/checkout/sessions/${name}/expire`).catch(acceptRefusal)
    return
  }
  const path = `/v1/invoices/${name}`
  const { body: invoice } = await send({ method: 'GET', path, answer: Invoice })
  if (invoice.status === 'draft') await send({ method: 'DELETE', path, answer: Done })
  else await post(`${path}/void`).catch(acceptRefusal)
}

/** It is paid or over: what it is, `read` tells. */
function acceptRefusal(error: unknown): void {
  if (!(error instanceof ProviderError) || error.failure !== 'refused') throw error
}

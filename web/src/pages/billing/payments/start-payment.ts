import { call } from '../../../api/call.ts'
import { Fault } from '../../../api/fault.ts'
import type { Payment } from '../../../api/routes.ts'
import { forgetKey, keyOf, type Wanted } from './payment-key.ts'

/**
 * Starts a payment. If it was started before and the answer was lost, it is found by its key and
 * its page is opened. One that nobody paid and nobody can pay any more gives way to a new one.
 */
export async function startPayment(slug: string, wanted: Wanted): Promise<Payment> {
  const path = { organization: slug }
  const { amount, save_card } = wanted
  try {
    return await call('POST /organizations/{organization}/payments', {
      path,
      key: keyOf(slug, wanted),
      body: { amount: { amount }, save_card },
    })
  } catch (error) {
    const id = startedBefore(error)
    if (id === null) throw error
    const known = await call('POST /organizations/{organization}/payments/{payment}/check', {
      path: { ...path, payment: id },
    })
    if (known.state !== 'expired' && known.state !== 'failed') return known
    forgetKey(slug)
    return startPayment(slug, wanted)
  }
}

/** The API names it in its sentence: "This request was made before. It created ID." */
function startedBefore(error: unknown): string | null {
  if (!(error instanceof Fault) || error.code !== 'already_created') return null
  return /created ([0-9a-f-]{36})\.$/.exec(error.sentence ?? '')?.[1] ?? null
}

import { ProviderError, type ProviderFailure } from '../../../payments/provider-error.ts'
import type { PaymentFacts, PaymentProvider } from '../../../payments/provider.ts'
import type { ClaimedPayment } from '../../../store/payments/payment-queue.ts'
import { changePayment } from '../../../store/payments/payments.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import type { Environment } from '../../use-case/environment.ts'
import { judgePayment } from '../judge-payment.ts'
import { knownOf } from '../known-payment.ts'
import { asCustomer } from '../customer/as-customer.ts'
import type { KnownProvider } from '../provider-of.ts'
import { draftInvoice } from './draft-invoice.ts'

/** Failures that last until somebody changes something, or for an hour: they are shown. */
const LASTING: readonly ProviderFailure[] = [
  'refused',
  'not_found',
  'customer_gone',
  'key_changed',
  'key_spent',
]

/**
 * Reads an invoice at the provider, after what must be done there first: it is written and stored,
 * then finalized, and what an operator has decided about it is passed on. Null if the provider does
 * not know it.
 */
export async function actOnInvoice(
  environment: Environment,
  known: KnownProvider,
  claimed: ClaimedPayment,
): Promise<PaymentFacts | null> {
  try {
    return await act(environment, known, claimed)
  } catch (error) {
    if (error instanceof ProviderError && LASTING.includes(error.failure))
      await changePayment(environment.database, claimed.id, {
        failure: error.code ?? error.failure,
      })
    throw error
  }
}

async function act(
  environment: Environment,
  known: KnownProvider,
  claimed: ClaimedPayment,
): Promise<PaymentFacts | null> {
  const organization = await findOrganization(environment.database, claimed.organization_id)
  return asCustomer(environment, organization, async (customer) =>
    actFor(environment, known, claimed, customer),
  )
}

async function actFor(
  environment: Environment,
  known: KnownProvider,
  claimed: ClaimedPayment,
  customer: string,
): Promise<PaymentFacts | null> {
  const { provider, account } = known
  const row =
    claimed.ref === null ? await draftInvoice(environment, known, claimed, customer) : claimed
  const { ref } = row
  if (ref === null) return null
  const facts = await readInvoice(provider, ref)
  if (facts === null) return null
  const judged = judgePayment(knownOf(row, customer, account), facts, new Date())
  // Whoever finalized it may have died before it was complete.
  if (row.state === 'created' && facts.state === 'open') await provider.finalizeInvoice(ref)
  if (judged.kind === 'stay' || judged.kind === 'move') return facts
  if (judged.kind === 'finalize') await provider.finalizeInvoice(ref)
  if (judged.kind === 'settle') await provider.settleInvoice(ref, judged.how)
  if (judged.kind === 'cancel') await provider.cancel(ref)
  return readInvoice(provider, ref)
}

/** A draft that was given up is deleted there. */
async function readInvoice(provider: PaymentProvider, ref: string): Promise<PaymentFacts | null> {
  return provider.read(ref).catch((error: unknown) => {
    if (error instanceof ProviderError && error.failure === 'not_found') return null
    throw error
  })
}

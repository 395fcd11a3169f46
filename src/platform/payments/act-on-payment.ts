import type { Kysely } from 'kysely'
import { ProviderError } from '../../payments/provider-error.ts'
import type { PaymentFacts, PaymentProvider } from '../../payments/provider.ts'
import type { ClaimedPayment } from '../../store/payments/payment-queue.ts'
import { changePayment, findPayment, lockPayment } from '../../store/payments/payments.ts'
import { findCustomer } from '../../store/payments/provider-customers.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import type { Environment } from '../use-case/environment.ts'
import { actOnInvoice } from './invoices/act-on-invoice.ts'
import { isCustomerGone } from './customer/as-customer.ts'
import { judgePayment } from './judge-payment.ts'
import { knownOf } from './known-payment.ts'
import type { KnownProvider } from './provider-of.ts'
import { isToBeWritten, payInvoice, writeInvoice } from './top-up/write-invoice.ts'

/**
 * Reads a payment at the provider. What must be done there first is done: the invoice of a charge
 * is written and paid, and what nobody shall pay any more is ended. Null if the provider does not
 * know the payment.
 */
export async function actOnPayment(
  environment: Environment,
  known: KnownProvider,
  claimed: ClaimedPayment,
): Promise<PaymentFacts | null> {
  if (claimed.kind === 'invoice') return actOnInvoice(environment, known, claimed)
  const { database } = environment
  const customer = await findCustomer(database, claimed.organization_id)
  const isWriter = customer !== null && isToBeWritten(claimed, new Date())
  const written = isWriter ? await writeInvoice(environment, known, claimed, customer) : null
  const ref = claimed.ref ?? written
  // Whoever looks for what was not stored in time has nobody who could pay it.
  const found = ref ?? (await findRef(environment, known, claimed, customer))
  if (found === null) return null
  const isWanted = ref !== null && customer !== null
  const row = { ...claimed, cancel: claimed.cancel || !isWanted }
  const first = await readOrEnd(environment, known, row, { customer, ref: found })
  if (first === null || customer === null) return first
  if (!isToBePaid(known, row, customer, first)) return first
  const last = await endIfSuspended(database, row)
  if (!isToBePaid(known, last, customer, first))
    return readOrEnd(environment, known, last, { customer, ref: found })
  await payInvoice(environment, known, last, { customer, ref: found })
  const later = (await findPayment(database, claimed.id)) ?? row
  return readOrEnd(environment, known, later, { customer, ref: found })
}

/**
 * The row of a charge as it is in the moment before its card is charged. Whoever stops charges does
 * so under this lock, and is told that they are stopped: what was read before is not enough.
 */
async function endIfSuspended(
  database: Kysely<Tables>,
  claimed: ClaimedPayment,
): Promise<PaymentRow> {
  return database.transaction().execute(async (transaction) => {
    const row = await lockPayment(transaction, claimed)
    const { suspended_at } = await findOrganization(transaction, row.organization_id)
    if (suspended_at === null || row.cancel) return row
    return changePayment(transaction, row.id, { cancel: true })
  })
}

/** Who pays it now; null if the customer was deleted there, and nobody has taken its place. */
type Place = { readonly customer: string | null; readonly ref: string }

function isToBePaid(
  { account }: KnownProvider,
  row: ClaimedPayment,
  customer: string | null,
  facts: PaymentFacts,
): boolean {
  return judgePayment(knownOf(row, customer, account), facts, new Date()).kind === 'pay'
}

async function readOrEnd(
  { database }: Environment,
  { provider, account }: KnownProvider,
  row: ClaimedPayment,
  { customer, ref }: Place,
): Promise<PaymentFacts | null> {
  const facts = await readRef(provider, row, ref)
  if (facts === null) return null
  const judged = judgePayment(knownOf(row, customer, account), facts, new Date())
  if (judged.kind !== 'cancel') return facts
  const { failure } = judged
  if (failure !== null) await changePayment(database, row.id, { failure })
  await provider.cancel(ref)
  return readRef(provider, row, ref)
}

/** The draft of an invoice is deleted when it is ended: then there is none. */
async function readRef(
  provider: PaymentProvider,
  { kind }: ClaimedPayment,
  ref: string,
): Promise<PaymentFacts | null> {
  return provider.read(ref).catch((error: unknown) => {
    const isGone = error instanceof ProviderError && error.failure === 'not_found'
    if (kind === 'automatic' && isGone) return null
    throw error
  })
}

async function findRef(
  { database }: Environment,
  { provider }: KnownProvider,
  { id, kind, created_at: createdAt }: ClaimedPayment,
  customer: string | null,
): Promise<string | null> {
  if (customer === null) return null
  const wanted = kind === 'page' ? 'page' : 'card'
  const sought = { id, kind: wanted, customer, createdAt } as const
  const ref = await provider.find(sought).catch((error: unknown) => {
    // Of a deleted customer nothing is left to be paid.
    if (isCustomerGone(error)) return null
    throw error
  })
  if (ref !== null) await changePayment(database, id, { ref, cancel: true })
  return ref
}

import type { Transaction } from 'kysely'
import { traceError } from '../../lib/log.ts'
import type { PaymentFacts } from '../../payments/provider.ts'
import { openFunds } from '../../store/ledger/double-entry.ts'
import { postTransfers } from '../../store/ledger/post-transfers.ts'
import { changePayment, lockPayment, type PaymentChange } from '../../store/payments/payments.ts'
import { releasePayment, type ClaimedPayment } from '../../store/payments/payment-queue.ts'
import type { ProviderAccount } from '../../store/payments/provider-account.ts'
import { findCustomer, storeCard } from '../../store/payments/provider-customers.ts'
import { noteRaised } from '../../store/people/announcements.ts'
import { writeAuditEvent } from '../../store/people/audit-events.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { raiseVersions, type RaisedVersion } from '../../store/tenants/versions.ts'
import { isFinalPayment, type PaymentState } from '../../contract/payments/payment-states.ts'
import type { Environment } from '../use-case/environment.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { actOnPayment } from './act-on-payment.ts'
import { isUnpaidInvoice, learnInvoice } from './invoices/learn-invoice.ts'
import { noteOverdue, queueIssued } from './invoices/note-overdue.ts'
import { postInvoiceEntries } from './invoices/post-entries.ts'
import { queuePaidEmail } from './watch/queue-paid-email.ts'
import { judgePayment, type KnownPayment } from './judge-payment.ts'
import { knownOf } from './known-payment.ts'
import { PROVIDER_ACCOUNT, TAX_ACCOUNT } from './ledger-names.ts'
import { nextReadingSeconds } from './next-reading.ts'
import { providerOf } from './provider-of.ts'
import { settingsOf } from './settings-of.ts'
import { PAYMENTS } from './system-actor.ts'
import { noteOutcome } from './top-up/note-outcome.ts'

const RETRY_SECONDS = 30

/**
 * Reads a payment at the provider and applies what was found: the only place where facts become
 * states and transfers. Whoever calls it has claimed the payment. Returns its row.
 */
export async function observePayment(
  environment: Environment,
  claimed: ClaimedPayment,
): Promise<PaymentRow> {
  const { database } = environment
  const { overdue_stop_days: stopDays } = settingsOf(environment.settings)
  const nextOf = (row: PaymentRow) => nextReadingSeconds(row, new Date(), stopDays)
  // An invoice that the provider has refused needs somebody, who may come later.
  const isRefused = claimed.kind === 'invoice' && claimed.failure !== null
  let nextSeconds = isRefused ? nextOf(claimed) : RETRY_SECONDS
  try {
    const known = await providerOf(environment)
    const facts = await actOnPayment(environment, known, claimed)
    const row = await applyFacts(environment, known.account, claimed, facts)
    nextSeconds = nextOf(row)
    return row
  } finally {
    await releasePayment(database, claimed, nextSeconds)
  }
}

async function applyFacts(
  environment: Environment,
  account: ProviderAccount,
  claimed: ClaimedPayment,
  facts: PaymentFacts | null,
): Promise<PaymentRow> {
  const { database, log } = environment
  const { row, raised, from } = await database.transaction().execute(async (transaction) => {
    const before = await lockPayment(transaction, claimed)
    const customer = await findCustomer(transaction, before.organization_id)
    const known = knownOf(before, customer, account)
    const decided = await decide(transaction, before, { facts, ref: claimed.ref }, known)
    const late = await lateOf(environment, transaction, decided.row)
    return { row: decided.row, raised: [...decided.raised, ...late].slice(-1), from: before.state }
  })
  if (from !== row.state) countMove(environment, row, facts)
  // The worker delivers what cannot be announced now.
  await environment.announce(raised).catch((error: unknown) => {
    const organizationId = row.organization_id
    log.warn({ organizationId, error: traceError(error) }, 'payment not announced yet')
  })
  return row
}

function countMove(
  { paymentMetrics }: Environment,
  { kind, state }: PaymentRow,
  facts: PaymentFacts | null,
): void {
  paymentMetrics?.moved(kind, state)
  if (state === 'succeeded') paymentMetrics?.credited(facts?.paidAt ?? null)
}

/** Whether requests are refused for an invoice of this organization, or no longer. */
async function lateOf(
  { settings }: Environment,
  transaction: Transaction<Tables>,
  row: PaymentRow,
): Promise<RaisedVersion[]> {
  if (row.kind !== 'invoice') return []
  return noteOverdue(transaction, row, settingsOf(settings).overdue_stop_days)
}

/** What was found under a reference; null for a payment that had none when it was looked for. */
type Read = { readonly facts: PaymentFacts | null; readonly ref: string | null }

type Decided = { readonly row: PaymentRow; readonly raised: readonly RaisedVersion[] }

async function decide(
  transaction: Transaction<Tables>,
  before: PaymentRow,
  { facts, ref }: Read,
  known: KnownPayment,
): Promise<Decided> {
  if (facts === null) {
    if (!isUnknownThere(before, ref)) return { row: before, raised: [] }
    const hasFailed = before.kind === 'automatic' && before.failure !== null
    return move(transaction, before, hasFailed ? 'failed' : 'expired', false, {})
  }
  // An operator has decided: what contradicts once contradicts at each reading.
  if (before.resolution !== null) return { row: before, raised: [] }
  const judgement = judgePayment(known, facts, new Date())
  if (judgement.kind !== 'move') {
    // Names of money and documents are known before the end, and are no change of state.
    if (before.state === 'succeeded') return { row: before, raised: [] }
    const learned = {
      money_ref: facts.moneyRef,
      failure: facts.failure ?? before.failure,
      ...(isUnpaidInvoice(before) && { url: facts.url, failure: facts.failure }),
    }
    return { row: await changePayment(transaction, before.id, learned), raised: [] }
  }
  const { to, differences } = judgement
  const { savedCard } = facts
  if (to === 'succeeded' && before.save_card && savedCard !== null)
    await storeCard(transaction, before.organization_id, savedCard)
  const learned = before.kind === 'invoice' ? learnInvoice(before, facts, to) : {}
  return move(transaction, before, to, facts.outside, {
    money_ref: facts.moneyRef,
    invoice_ref: facts.invoiceRef,
    failure: facts.failure ?? before.failure,
    ...learned,
    ...(to === 'succeeded' && { tax: facts.tax }),
    ...(to === 'needs_customer' && { url: facts.url }),
    ...(differences !== undefined && { differences }),
  })
}

/** A draft of an invoice that was given up is deleted there, so that it is unknown as well. */
function isUnknownThere({ kind, state, ref, cancel }: PaymentRow, sought: string | null): boolean {
  // Somebody else may have stored a draft since this process has looked.
  if (kind === 'invoice') return state === 'created' && ref === sought && (ref !== null || cancel)
  if (kind === 'automatic') return state === 'created' || state === 'open'
  return state === 'created' && ref === null
}

/** The state, the money, and everything that others learn of it are one transaction. */
async function move(
  transaction: Transaction<Tables>,
  before: PaymentRow,
  state: PaymentState,
  outside: boolean,
  learned: PaymentChange,
): Promise<Decided> {
  const url = isFinalPayment(state) || state === 'attention' ? { url: null } : {}
  const row = await changePayment(transaction, before.id, { ...learned, ...url, state })
  const raised = await postEntries(transaction, before, row, outside)
  if (row.kind === 'invoice' && state === 'open' && before.state === 'created')
    await queueIssued(transaction, row)
  if (state === 'succeeded') await queuePaidEmail(transaction, row)
  if (row.kind === 'automatic') await noteOutcome(transaction, row)
  const isIssued = row.issued_at !== null && before.issued_at === null
  const action = AUDITED[state] ?? (isIssued ? 'invoice.issue' : undefined)
  if (action !== undefined)
    await writeAuditEvent(transaction, {
      organizationId: row.organization_id,
      actor: PAYMENTS,
      action,
      target: { kind: 'payment', id: row.id, label: null },
      changes: {
        state: [before.state, state],
        amount: [null, viewMoney(row.amount, row.currency)],
        ...(row.tax !== null && { tax: [null, viewMoney(row.tax, row.currency)] }),
        ...(state === 'succeeded' && outside && { paid_outside: [null, true] }),
        ...(row.differences !== null && { differences: [null, row.differences] }),
      },
      requestId: null,
    })
  return { row, raised }
}

const AUDITED: Readonly<Partial<Record<PaymentState, string>>> = {
  succeeded: 'payment.succeed',
  failed: 'payment.fail',
  expired: 'payment.expire',
  attention: 'payment.attention',
}

async function postEntries(
  transaction: Transaction<Tables>,
  before: PaymentRow,
  row: PaymentRow,
  outside: boolean,
): Promise<RaisedVersion[]> {
  if (row.kind === 'invoice') return postInvoiceEntries(transaction, before, row, outside)
  return row.state === 'succeeded' ? creditPayment(transaction, row) : []
}

/** The references are made from the payment's id, so that it is credited once, whatever happens. */
export async function creditPayment(
  transaction: Transaction<Tables>,
  { id, organization_id: organizationId, amount, tax }: PaymentRow,
): Promise<RaisedVersion[]> {
  const raised = await raiseVersions(transaction, [organizationId])
  const funds = await openFunds(transaction, organizationId)
  const common = { debit: PROVIDER_ACCOUNT, kind: 'payment', madeBy: PAYMENTS.label } as const
  const net = { ...common, credit: funds, amount, reference: `payment:${id}`, reason: 'paid' }
  const taxed = { credit: TAX_ACCOUNT, amount: tax ?? 0, reference: `tax:${id}`, reason: 'tax' }
  const withTax = tax === null || tax === 0 ? [] : [{ ...common, ...taxed }]
  await postTransfers(transaction, [net, ...withTax])
  await noteRaised(transaction, raised)
  return raised
}

import type { Transaction } from 'kysely'
import { openFunds, openReceivable } from '../../../store/ledger/double-entry.ts'
import { postTransfers, type Transfer } from '../../../store/ledger/post-transfers.ts'
import { noteRaised } from '../../../store/people/announcements.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { raiseVersions, type RaisedVersion } from '../../../store/tenants/versions.ts'
import { BANK_ACCOUNT, LOSSES_ACCOUNT, PROVIDER_ACCOUNT, TAX_ACCOUNT } from '../ledger-names.ts'
import { PAYMENTS } from '../system-actor.ts'
import { stepsBetween, type Step } from './steps-between.ts'

/**
 * Writes the entries of an invoice that has come to another state, in the transaction that changes
 * it. `outside`: it was paid to our bank account.
 */
export async function postInvoiceEntries(
  transaction: Transaction<Tables>,
  before: PaymentRow,
  after: PaymentRow,
  outside: boolean,
): Promise<RaisedVersion[]> {
  const steps = stepsBetween(invoiceOf(before), invoiceOf(after))
  if (steps.length === 0) return []
  const { organization_id: organizationId } = after
  const raised = await raiseVersions(transaction, [organizationId])
  const accounts = {
    receivable: await openReceivable(transaction, organizationId),
    funds: await openFunds(transaction, organizationId),
    source: outside ? BANK_ACCOUNT : PROVIDER_ACCOUNT,
  }
  const entries = steps.flatMap((step) => entriesOf(step, after, accounts))
  await postTransfers(
    transaction,
    entries.filter(({ amount }) => amount > 0),
  )
  await noteRaised(transaction, raised)
  return raised
}

function invoiceOf({ state, issued_at: issuedAt }: PaymentRow) {
  return { state, issued: issuedAt !== null }
}

type Accounts = { readonly receivable: string; readonly funds: string; readonly source: string }
type Entry = Pick<Transfer, 'debit' | 'credit' | 'amount' | 'reference'>

/** The references are made from the payment's id, so that each step is written once. */
function entriesOf(
  step: Step,
  { id, amount: net, tax }: PaymentRow,
  { receivable, funds, source }: Accounts,
): Transfer[] {
  const total = net + (tax ?? 0)
  const entry = (debit: string, credit: string, amount: number, reference: string): Entry => ({
    debit,
    credit,
    amount,
    reference,
  })
  const issue = (again: string) => [
    entry(receivable, funds, net, `invoice:${id}${again}`),
    entry(receivable, TAX_ACCOUNT, tax ?? 0, `invoice-tax:${id}${again}`),
  ]
  const made: Readonly<Record<Step, readonly Entry[]>> = {
    issue: issue(''),
    'issue again': issue(':again'),
    void: [
      entry(funds, receivable, net, `invoice:${id}:void`),
      entry(TAX_ACCOUNT, receivable, tax ?? 0, `invoice-tax:${id}:void`),
    ],
    receive: [entry(source, receivable, total, `payment:${id}`)],
    'write off': [entry(LOSSES_ACCOUNT, receivable, total, `write-off:${id}`)],
    'expect again': [entry(receivable, LOSSES_ACCOUNT, total, `write-off:${id}:back`)],
  }
  return made[step].map((each) => ({
    ...each,
    kind: step === 'receive' ? 'payment' : 'invoice',
    madeBy: PAYMENTS.label,
    reason: step === 'receive' ? 'paid' : step,
  }))
}

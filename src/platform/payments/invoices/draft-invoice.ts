import { DAY_MS } from '../../../lib/time.ts'
import type { NewInvoice } from '../../../payments/new-invoice.ts'
import type { Line } from '../../../payments/provider.ts'
import { readModelCosts } from '../../../store/payments/invoices.ts'
import { attemptOf } from '../../../store/payments/key-attempts.ts'
import type { ClaimedPayment } from '../../../store/payments/payment-queue.ts'
import { changePayment, lockPayment } from '../../../store/payments/payments.ts'
import { listOwnerEmails } from '../../../store/people/members.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import { invoiceLines, type InvoiceLine } from '../../../tenancy/money/invoice-lines.ts'
import { fromMinor, toMinor } from '../../../tenancy/money/minor-units.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { KnownProvider } from '../provider-of.ts'
import { settingsOf } from '../settings-of.ts'

/**
 * Every hour is another attempt, with keys of its own: the provider forgets keys after 24 hours,
 * and keeps its own failures under them. A draft that nobody has stored is never finalized.
 */
const ATTEMPT_HOURS = 1

/**
 * Writes the draft of an invoice and stores its reference, so that whatever happens to this
 * process, only one is ever finalized. An invoice that the provider has already is taken up: our
 * tables may have been restored. Returns the row, with a reference unless there will be none.
 */
export async function draftInvoice(
  environment: Environment,
  { provider }: KnownProvider,
  claimed: ClaimedPayment,
  customer: string,
): Promise<PaymentRow> {
  const { id, cancel, statement_month: month } = claimed
  const createdAt = endOf(month ?? '')
  const found = await provider.find({ id, kind: 'invoice', customer, createdAt })
  if (found === null && cancel) return claimed
  const ref =
    found ??
    (await provider.draftInvoice(
      await invoiceOf(environment, claimed, customer),
      await linesOf(environment, claimed),
    ))
  const row = await environment.database.transaction().execute(async (transaction) => {
    const now = await lockPayment(transaction, claimed)
    const isStored = now.ref !== null || now.state !== 'created'
    return isStored ? now : changePayment(transaction, id, { ref })
  })
  // A process that was stopped for long comes back with a draft that nobody asks for any more.
  if (row.ref !== ref) await provider.cancel(ref)
  return row
}

/** All of it is made from the row, so that a repeated request is the same one. */
async function invoiceOf(
  { database, settings }: Environment,
  row: ClaimedPayment,
  customer: string,
): Promise<NewInvoice> {
  const { id, organization_id: organizationId, currency, created_at: createdAt } = row
  const [email = null] = await listOwnerEmails(database, organizationId, 1)
  return {
    id,
    organizationId,
    customer,
    currency,
    email,
    attempt: await attemptOf(database, createdAt, ATTEMPT_HOURS),
    tax: settingsOf(settings).tax === 'provider',
    description: `Usage ${row.statement_month}`,
    daysUntilDue: Math.round((row.expires_at.getTime() - createdAt.getTime()) / DAY_MS),
  }
}

async function linesOf(
  { database }: Environment,
  { organization_id: organizationId, statement_month: month, amount, currency }: ClaimedPayment,
): Promise<Line[]> {
  const costs = await readModelCosts(database, organizationId, month ?? '')
  const lines = invoiceLines(toMinor(currency, amount), costs, fromMinor(currency, 1))
  return lines.map(({ about, minor }) => ({
    description: describe(about, minor, month ?? ''),
    amount: fromMinor(currency, minor),
  }))
}

function describe(about: InvoiceLine['about'], minor: number, month: string): string {
  if (about !== 'balance') return `${about.model ?? 'Other models'}, ${month}`
  return minor < 0 ? 'Paid from the balance' : `Owed from before ${month}`
}

/** No invoice of the month is older, whenever its row was written. */
function endOf(month: string): Date {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number))
}

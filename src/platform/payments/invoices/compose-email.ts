import { findPayment } from '../../../store/payments/payments.ts'
import type { DueEmail } from '../../../store/payments/queued-emails.ts'
import type { Email } from '../../mail/emails.ts'
import type { Environment } from '../../use-case/environment.ts'
import { settingsOf } from '../settings-of.ts'
import { isUnpaidInvoice } from './learn-invoice.ts'

type InvoiceEmail = Pick<DueEmail, 'facts'> & {
  readonly kind: 'invoice_issued' | 'invoice_overdue' | 'invoice_paid'
}

type Common = { readonly name: string; readonly amount: string; readonly link: string }

/** An email about an invoice. The page where it is paid is read when the email is sent. */
export async function composeInvoiceEmail(
  environment: Environment,
  { kind, facts }: InvoiceEmail,
  common: Common,
): Promise<Email> {
  const month = String(facts['month'])
  if (kind === 'invoice_paid') return { kind, ...common, month }
  const link = (await pageOf(environment, String(facts['payment']))) ?? common.link
  const unpaid = { ...common, link, month, due: dayOf(facts['due_at']) }
  if (kind === 'invoice_issued') return { kind, ...unpaid }
  return { kind: 'invoice_overdue', ...unpaid, stops: dayOf(facts['stops_at']) }
}

/** Null if it cannot be paid any more: then the console tells. */
async function pageOf({ database, settings }: Environment, id: string): Promise<string | null> {
  const row = await findPayment(database, id)
  if (row === undefined || row.url === null || !isUnpaidInvoice(row)) return null
  const { page_hosts: hosts } = settingsOf(settings)
  return hosts.includes(new URL(row.url).hostname) ? row.url : null
}

function dayOf(time: string | number | undefined): string {
  return String(time).slice(0, 10)
}

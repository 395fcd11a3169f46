import type { Transaction } from 'kysely'
import { DAY_MS } from '../../../lib/time.ts'
import { noteOverdueMonth } from '../../../store/payments/invoices.ts'
import { queueEmail } from '../../../store/payments/queued-emails.ts'
import { writeAuditEvent } from '../../../store/people/audit-events.ts'
import { noteRaised } from '../../../store/people/announcements.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import type { RaisedVersion } from '../../../store/tenants/versions.ts'
import { PAYMENTS } from '../system-actor.ts'
import { alertOfStop } from '../watch/alert-operators.ts'

/** Days after an invoice is due on which owners are reminded. */
const REMINDERS = [0, 3, 7] as const
/** Emails in the queue are forgotten after 90 days: nobody may be reminded once more then. */
const REMINDED_UNTIL_DAYS = 30

/**
 * What follows from a reading of an invoice that is not paid, or no longer unpaid: reminders, and
 * whether requests of its organization are refused. Whoever calls it has locked the payment.
 */
export async function noteOverdue(
  transaction: Transaction<Tables>,
  row: PaymentRow,
  stopDays: number,
): Promise<RaisedVersion[]> {
  await queueReminder(transaction, row, stopDays)
  const { organization_id: organizationId } = row
  const { slug, overdue_month: before } = await findOrganization(transaction, organizationId)
  const noted = await noteOverdueMonth(transaction, organizationId, stopDays)
  if (noted === undefined) return []
  await writeAuditEvent(transaction, {
    organizationId,
    actor: PAYMENTS,
    action: noted.month === null ? 'invoice.overdue_end' : 'invoice.overdue',
    target: { kind: 'organization', id: organizationId, label: slug },
    changes: { overdue_month: [before, noted.month] },
    requestId: null,
  })
  const raised = [{ organizationId, version: noted.version }]
  await noteRaised(transaction, raised)
  if (noted.month !== null) await alertOfStop(transaction, organizationId, noted.month)
  return raised
}

/** Only the last one that is due, in case that nobody has read the invoice for days. */
async function queueReminder(
  transaction: Transaction<Tables>,
  row: PaymentRow,
  stopDays: number,
): Promise<void> {
  const { id, state, issued_at: issuedAt, expires_at: dueAt } = row
  if (issuedAt === null || state !== 'open') return
  const days = (Date.now() - dueAt.getTime()) / DAY_MS
  const reminder = REMINDERS.findLast((each) => each <= days)
  if (reminder === undefined || days > REMINDED_UNTIL_DAYS) return
  await queueEmail(transaction, {
    key: `invoice:${id}:overdue:${reminder}`,
    kind: 'invoice_overdue',
    organizationId: row.organization_id,
    facts: { ...factsOf(row), stops_at: addDays(dueAt, stopDays).toISOString() },
  })
}

/** In the transaction that issues it. */
export async function queueIssued(
  transaction: Transaction<Tables>,
  row: PaymentRow,
): Promise<void> {
  await queueEmail(transaction, {
    key: `invoice:${row.id}:issued`,
    kind: 'invoice_issued',
    organizationId: row.organization_id,
    facts: factsOf(row),
  })
}

function factsOf({ id, amount, tax, statement_month: month, expires_at: dueAt }: PaymentRow) {
  return {
    payment: id,
    month: month ?? '',
    amount: amount + (tax ?? 0),
    due_at: dueAt.toISOString(),
  }
}

/** When something is to be done about an invoice that nobody pays, in milliseconds since 1970. */
export function overdueTimes(dueAt: Date, stopDays: number): readonly number[] {
  return [...REMINDERS, stopDays].map((days) => addDays(dueAt, days).getTime())
}

function addDays(time: Date, days: number): Date {
  return new Date(time.getTime() + days * DAY_MS)
}

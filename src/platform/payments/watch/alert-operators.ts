import type { Transaction } from 'kysely'
import { queueEmail } from '../../../store/payments/queued-emails.ts'
import { dayOf } from '../../../store/postgres/partitions.ts'
import type { PaymentSums } from '../../../store/payments/payment-sums.ts'
import type { DisputeRow, PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { PaymentAlert } from '../../mail/emails.ts'
import type { Environment } from '../../use-case/environment.ts'

const POLL_SECONDS_MAX = 3_600
/** Events of an hour that no webhook told: so many, and so large a part of all. */
const WITHOUT_WEBHOOK_MAX = 5
const WITHOUT_WEBHOOK_SHARE = 0.2
const FORGED_MAX = 10

/** Tells operators once a day as long as it lasts. `about` says of several which one it is. */
export async function alertOperators(
  { database }: Pick<Environment, 'database'>,
  alert: PaymentAlert,
  about = '',
): Promise<void> {
  const day = dayOf(Date.now())
  const key = ['alert', alert, about, day].filter((part) => part !== '').join(':')
  await queueEmail(database, {
    key,
    kind: 'payment_alert',
    organizationId: null,
    facts: { alert, about },
  })
}

/** Once for each payment: each can be refunded before its owner disputes it. */
export async function alertOfWarning(
  transaction: Transaction<Tables>,
  { id, organization_id: about }: PaymentRow,
): Promise<void> {
  await queueEmail(transaction, {
    key: `alert:warning:${id}`,
    kind: 'payment_alert',
    organizationId: null,
    facts: { alert: 'warning' satisfies PaymentAlert, about, payment: id },
  })
}

/**
 * Once when a bank asks, and once when it disputes: each has a deadline for evidence. One that is
 * over is worth an email only if it was lost.
 */
export async function alertOfDispute(
  transaction: Transaction<Tables>,
  { id: payment, organization_id: about }: PaymentRow,
  { id, state, amount }: Pick<DisputeRow, 'id' | 'state' | 'amount'>,
): Promise<void> {
  if (state === 'won') return
  await queueEmail(transaction, {
    key: `alert:dispute:${id}:${state === 'inquiry' ? 'inquiry' : 'dispute'}`,
    kind: 'payment_alert',
    organizationId: null,
    facts: { alert: 'dispute' satisfies PaymentAlert, about, payment, amount },
  })
}

/** Once for each month whose invoice stops an organization. */
export async function alertOfStop(
  transaction: Transaction<Tables>,
  about: string,
  month: string,
): Promise<void> {
  await queueEmail(transaction, {
    key: `alert:stopped:${about}:${month}`,
    kind: 'payment_alert',
    organizationId: null,
    facts: { alert: 'stopped' satisfies PaymentAlert, about },
  })
}

/** `forged`: webhooks without a valid signature that this process got in the last hour. */
export async function alertBySums(
  environment: Pick<Environment, 'database'>,
  sums: PaymentSums,
  forged: number,
): Promise<void> {
  const { lastAttention, uncredited, polledAt, heard, heardByPoll, difference } = sums
  const polledSeconds = polledAt === null ? 0 : (Date.now() - polledAt.getTime()) / 1000
  const isBroken = heardByPoll > WITHOUT_WEBHOOK_MAX && heardByPoll > heard * WITHOUT_WEBHOOK_SHARE
  // One more that needs a decision is worth another email on the same day.
  if (lastAttention !== null) await alertOperators(environment, 'attention', lastAttention)
  if (uncredited > 0) await alertOperators(environment, 'uncredited')
  if (polledSeconds > POLL_SECONDS_MAX) await alertOperators(environment, 'poll')
  if (isBroken) await alertOperators(environment, 'webhook')
  if (forged > FORGED_MAX) await alertOperators(environment, 'forged')
  if (difference > 0) await alertOperators(environment, 'difference')
}

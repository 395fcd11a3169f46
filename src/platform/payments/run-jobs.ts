import { MINUTE_MS } from '../../lib/time.ts'
import { traceError } from '../../lib/log.ts'
import type { ListedHint } from '../../payments/provider.ts'
import { claimPayments } from '../../store/payments/payment-queue.ts'
import {
  claimCursor,
  forgetEvents,
  moveCursor,
  noteEvent,
} from '../../store/payments/provider-events.ts'
import type { Environment } from '../use-case/environment.ts'
import { READING_LEASE_SECONDS } from './next-reading.ts'
import { observePayment } from './observe.ts'
import { providerOf } from './provider-of.ts'

/** Payments that one process reads at once: as many as it may send requests. */
const BATCH_PAYMENTS = 10
/** A process that died while it polled delays the next poll by no more. */
const POLL_LEASE_SECONDS = 60
/** The provider's list may be behind its own clock. */
const OVERLAP_MS = 10 * MINUTE_MS
/** Several processes poll in turns. */
const POLL_PAUSE_SECONDS = 50

/** Reads payments that are due. Returns whether there may be more. */
export async function observeDuePayments(environment: Environment): Promise<boolean> {
  const due = await claimPayments(environment.database, BATCH_PAYMENTS, READING_LEASE_SECONDS)
  await Promise.all(
    due.map(async (payment) => {
      try {
        await observePayment(environment, payment)
      } catch (error) {
        const organizationId = payment.organization_id
        environment.log.warn({ organizationId, error: traceError(error) }, 'payment not read')
      }
    }),
  )
  return due.length === BATCH_PAYMENTS
}

async function notePolled(
  { database, paymentMetrics: metrics }: Environment,
  event: ListedHint,
): Promise<void> {
  const isNew = await noteEvent(database, event, 'poll')
  metrics?.heard('poll', isNew ? 'new' : 'repeated')
  if (isNew && event.about === 'decline') metrics?.declined()
}

/**
 * Reads the provider's list of events, so that nothing depends on webhooks. The cursor moves only
 * after the whole list was read. Returns that there is no more.
 */
export async function pollEvents(environment: Environment): Promise<boolean> {
  const { database } = environment
  const times = { leaseSeconds: POLL_LEASE_SECONDS, pauseSeconds: POLL_PAUSE_SECONDS }
  const since = await claimCursor(database, times)
  if (since === undefined) return false
  const { provider } = await providerOf(environment)
  let newest: Date | null = null
  for await (const event of provider.listHints(new Date(since.getTime() - OVERLAP_MS))) {
    if (event.about !== 'other') await notePolled(environment, event)
    if (newest === null || event.at > newest) newest = event.at
  }
  await moveCursor(database, newest)
  await forgetEvents(database)
  return false
}

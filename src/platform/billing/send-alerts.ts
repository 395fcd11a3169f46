import { MINUTE_MS } from '../../lib/time.ts'
import { traceError } from '../../lib/log.ts'
import {
  claimAlerts,
  noteDelivered,
  noteSent,
  retryAlert,
  type DueAlert,
} from '../../store/ledger/alert-queue.ts'
import type { Environment } from '../use-case/environment.ts'
import { sealerFor } from '../use-case/sealers.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { callWebhook } from './webhook.ts'

/** Alerts that one process sends at once. */
const BATCH_ALERTS = 10

/** Longer than all attempts for one alert can take, so that no two processes send it at once. */
const LEASE_SECONDS = 120
/** After this time no further recipient of an alert is tried in this turn. */
const TURN_MS = MINUTE_MS
const DELIVERY_TIMEOUT_MS = 15_000

const RETRY_SECONDS = 30
const RETRY_SECONDS_MAX = 3_600
/** A receiver that is down for a day gets no alert. */
const GIVEN_UP_AFTER_SECONDS = 86_400

const NOW = { delaySeconds: 0, givenUpAfterSeconds: GIVEN_UP_AFTER_SECONDS }
const WEBHOOK = 'webhook'

type Recipient = { readonly name: string; readonly deliver: () => Promise<void> }

/**
 * Sends alerts that were reached, a batch at a time. Any number of processes may do so: each takes
 * alerts that no other has. A delivery is recorded at once and not repeated; a process that dies
 * between a delivery and its record causes a second one. Returns whether there may be more.
 */
export async function sendDueAlerts(
  environment: Environment,
  stopping: AbortSignal,
): Promise<boolean> {
  const due = await claimAlerts(environment.database, BATCH_ALERTS, LEASE_SECONDS)
  await Promise.all(due.map((alert) => sendAlert(environment, alert, stopping)))
  return due.length === BATCH_ALERTS
}

async function sendAlert(
  environment: Environment,
  alert: DueAlert,
  stopping: AbortSignal,
): Promise<void> {
  const { database, log } = environment
  const over = AbortSignal.any([stopping, AbortSignal.timeout(TURN_MS)])
  let failed = false
  for (const { name, deliver } of recipientsOf(environment, alert)) {
    if (alert.delivered.includes(name)) continue
    try {
      over.throwIfAborted()
      await withTimeout(deliver())
      await noteDelivered(database, alert, name)
    } catch (error) {
      failed = true
      const { id: organizationId } = alert.organization
      log.warn({ organizationId, error: traceError(error) }, 'spending alert not delivered')
    }
  }
  if (!failed) return noteSent(database, alert)
  // Another process goes on at once.
  if (stopping.aborted) return void (await retryAlert(database, alert, NOW))
  const delaySeconds = Math.min(RETRY_SECONDS_MAX, RETRY_SECONDS * 2 ** (alert.attempts - 1))
  const times = { delaySeconds, givenUpAfterSeconds: GIVEN_UP_AFTER_SECONDS }
  if (await retryAlert(database, alert, times))
    log.error({ organizationId: alert.organization.id }, 'spending alert given up')
}

function recipientsOf(environment: Environment, alert: DueAlert): Recipient[] {
  const { settings, mailer } = environment
  const { webhookUrl: url, webhookSecret: sealed, alertId } = alert
  const emails = alert.emails.map((address) => ({
    name: address,
    deliver: () => deliverEmail(environment, alert, address),
  }))
  const deliver = async () => {
    const secret = sealerFor(settings, 'webhook secret').open(sealed!, alertId).toString()
    const id = `alert_${alertId}_${alert.month.slice(0, 7)}_${alert.threshold}`
    const message = { url: url!, secret, id, body: JSON.stringify(bodyOf(environment, alert)) }
    await callWebhook(message, { privateHosts: settings.console.private_webhook_hosts })
  }
  const hasWebhook = url !== null && sealed !== null
  return [
    ...(hasWebhook ? [{ name: WEBHOOK, deliver }] : []),
    // Without a mail server the alert is only shown in the console.
    ...(mailer.configured ? emails : []),
  ]
}

/** Whoever sets alerts need not be the one who reads them, so an address gets some and no more. */
async function deliverEmail(
  environment: Environment,
  alert: DueAlert,
  address: string,
): Promise<void> {
  const counted = await environment.loginLimits.attempt({ kind: 'alerted', email: address })
  if (counted.waitMs > 0) return
  try {
    await environment.mailer.deliver(address, emailOf(environment, alert))
  } catch (error) {
    await counted.undo()
    throw error
  }
}

function emailOf({ settings }: Environment, alert: DueAlert) {
  const { organization, project } = alert
  const amount = (micro: number) => {
    const money = viewMoney(micro, settings.currency)
    return `${money.amount} ${money.currency}`
  }
  return {
    kind: 'spending_alert',
    link: `${settings.console.public_url.replace(/\/$/, '')}/o/${organization.slug}/billing`,
    name: project === null ? organization.name : `${project.name} of ${organization.name}`,
    month: alert.month.slice(0, 7),
    threshold: amount(alert.threshold),
    spent: amount(alert.spent),
  } as const
}

function bodyOf({ settings: { currency } }: Environment, alert: DueAlert) {
  return {
    type: 'spending_alert.reached',
    timestamp: alert.reachedAt.toISOString(),
    data: {
      organization: alert.organization,
      project: alert.project,
      month: alert.month.slice(0, 7),
      threshold: viewMoney(alert.threshold, currency),
      spent: viewMoney(alert.spent, currency),
    },
  }
}

/** The attempt may still succeed afterwards, and is then repeated. */
async function withTimeout(delivery: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timeout')), DELIVERY_TIMEOUT_MS)
  await Promise.race([delivery, promise]).finally(() => clearTimeout(timer))
}

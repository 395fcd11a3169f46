import { claimAlerts, type DueAlert } from '../../store/ledger/alert-queue.ts'
import { deliverCounted } from '../delivery/deliver-counted.ts'
import { sendQueued, type Recipient } from '../delivery/send-queued.ts'
import type { Environment } from '../use-case/environment.ts'
import { sealerFor } from '../use-case/sealers.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { callWebhook } from './webhook.ts'

const WEBHOOK = 'webhook'

/** Sends alerts that were reached. Returns whether there may be more. */
export async function sendDueAlerts(
  environment: Environment,
  stopping: AbortSignal,
): Promise<boolean> {
  return sendQueued(environment, { claim: claimAlerts, recipientsOf }, stopping)
}

async function recipientsOf(environment: Environment, alert: DueAlert): Promise<Recipient[]> {
  const { settings, mailer } = environment
  const { webhookUrl: url, webhookSecret: sealed, alertId } = alert
  const emails = alert.emails.map((address) => ({
    name: address,
    deliver: async () => deliverCounted(environment, address, emailOf(environment, alert)),
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

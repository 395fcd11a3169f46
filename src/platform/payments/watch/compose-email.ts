import { balanceOf } from '../../../store/ledger/double-entry.ts'
import type { DueEmail } from '../../../store/payments/queued-emails.ts'
import { findPayment } from '../../../store/payments/payments.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import type { Email, PaymentAlert } from '../../mail/emails.ts'
import { composeInvoiceEmail } from '../invoices/compose-email.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'

/** What an email says to operators and owners, or to a billing contact. */
export async function composeEmail(
  environment: Environment,
  due: DueEmail,
  toContact: boolean,
): Promise<Email> {
  const { organizationId } = due
  if (organizationId === null) return writeAlert(environment, due)
  const about = { id: organizationId, toContact }
  return { ...(await writeToOrganization(environment, due, about)), toContact }
}

/** The others are about all payments. */
const OF_ONE: readonly PaymentAlert[] = ['declines', 'warning', 'dispute', 'stopped']

/** Where in the console operators see what it is about, if not at its first page. */
const PLACES: Readonly<Partial<Record<PaymentAlert, (facts: DueEmail['facts']) => string>>> = {
  attention: ({ about: payment }) => `/operator/payments/${payment}`,
  warning: ({ payment }) => `/operator/payments/${payment}`,
  dispute: ({ payment }) => `/operator/payments/${payment}`,
  stopped: () => '/operator/payments',
}

async function writeAlert({ database, settings }: Environment, { facts }: DueEmail) {
  const root = rootOf(settings)
  const alert = facts['alert'] as PaymentAlert
  const isOfOne = OF_ONE.includes(alert)
  const about = isOfOne ? (await findOrganization(database, String(facts['about']))).name : ''
  const amount = facts['amount'] === undefined ? '' : moneyOf(settings, facts['amount'])
  const link = root + (PLACES[alert]?.(facts) ?? '')
  return { kind: 'payment_alert', alert, about, amount, link } as const
}

async function writeToOrganization(
  environment: Environment,
  { kind, facts }: DueEmail,
  { id, toContact }: { readonly id: string; readonly toContact: boolean },
): Promise<Email> {
  const { database, settings } = environment
  const { slug, name } = await findOrganization(database, id)
  const link = `${rootOf(settings)}/o/${slug}/billing`
  const amount = moneyOf(settings, facts['amount'])
  const failure = facts['failure'] === undefined ? null : String(facts['failure'])
  switch (kind) {
    case 'payment_paid': {
      const { balance } = await balanceOf(database, id)
      return { kind, name, amount, balance: moneyOf(settings, balance), link }
    }
    case 'payment_refunded': {
      const { balance } = await balanceOf(database, id)
      const net = moneyOf(settings, facts['net'])
      return { kind, name, amount, net, balance: moneyOf(settings, balance), link }
    }
    case 'credit_expires':
      return { kind, name, amount, until: readable(String(facts['until'])), link }
    case 'top_up_confirm': {
      // The console asks who opens a link to it, the provider's page does not.
      if (toContact) return { kind: 'top_up_unconfirmed', organization: name, amount, link }
      const page = await findPage(environment, String(facts['payment']))
      return { kind, organization: name, amount, link: page ?? link }
    }
    case 'top_up_failed':
      return { kind, organization: name, amount, failure: failure ?? '', link }
    case 'top_up_paused':
      return { kind, organization: name, reason: String(facts['reason']), failure, link }
    case 'top_up_bound': {
      const bound = facts['bound'] === 'day' ? 'day' : 'month'
      const month = moneyOf(settings, facts['month_max'])
      return { kind, organization: name, bound, month, link }
    }
    case 'top_up_card_expires': {
      const card = `${String(facts['brand'])} ${String(facts['last_four'])}`
      return { kind, organization: name, card, month: String(facts['month']), link }
    }
    case 'invoice_issued':
    case 'invoice_overdue':
    case 'invoice_paid':
      return composeInvoiceEmail(environment, { kind, facts }, { name, amount, link })
    case 'payment_alert':
      throw new TypeError('alerts are for operators')
  }
}

/** Where the owner of the card confirms a payment: null if that is over. */
async function findPage({ database, settings }: Environment, id: string): Promise<string | null> {
  const { url = null } = (await findPayment(database, id)) ?? {}
  const hosts = settings.payments?.page_hosts ?? []
  return url !== null && hosts.includes(new URL(url).hostname) ? url : null
}

function rootOf({ console: { public_url: url } }: Environment['settings']): string {
  return url.replace(/\/$/, '')
}

function moneyOf(
  { currency }: Environment['settings'],
  micro: string | number | undefined = 0,
): string {
  const money = viewMoney(Number(micro), currency)
  return `${money.amount} ${money.currency}`
}

/** `2027-01-31 08:00 UTC` */
function readable(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

import { traceError } from '../../../lib/log.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import { balanceOf } from '../../../store/ledger/double-entry.ts'
import {
  claimLetters,
  forgetLetters,
  giveUpLetters,
  noteLetterDelivered,
  noteLetterSent,
  retryLetter,
  type DueLetter,
} from '../../../store/payments/letters.ts'
import { listOwnerEmails } from '../../../store/people/members.ts'
import { listOperatorEmails } from '../../../store/tenants/accounts.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import type { Email, PaymentAlert } from '../../mail/emails.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'

const BATCH_LETTERS = 10
/** Longer than all addresses of a letter can take. */
const LEASE_SECONDS = 180
const TURN_MS = MINUTE_MS
const ADDRESSES_MAX = 10
const RETRY_SECONDS = 30
const RETRY_SECONDS_MAX = 3_600
const GIVEN_UP_AFTER_SECONDS = 86_400

const NOW = { delaySeconds: 0, givenUpAfterSeconds: GIVEN_UP_AFTER_SECONDS }

/**
 * Sends letters that are due. Any number of processes may do so: each takes letters that no other
 * has. An address that has accepted one gets it once more only if the process died before it noted
 * that. Returns whether there may be more.
 */
export async function sendLetters(
  environment: Environment,
  stopping: AbortSignal,
): Promise<boolean> {
  const { database, mailer } = environment
  await forgetLetters(database)
  // Without a mail server everything is shown in the console and in the metrics.
  if (!mailer.configured) {
    await giveUpLetters(database)
    return false
  }
  const due = await claimLetters(database, BATCH_LETTERS, LEASE_SECONDS)
  await Promise.all(due.map((letter) => sendLetter(environment, letter, stopping)))
  return due.length === BATCH_LETTERS
}

async function sendLetter(
  environment: Environment,
  letter: DueLetter,
  stopping: AbortSignal,
): Promise<void> {
  const { database, mailer, log } = environment
  const over = AbortSignal.any([stopping, AbortSignal.timeout(TURN_MS)])
  let failed = false
  const email = await writeLetter(environment, letter)
  for (const address of await addressesOf(environment, letter)) {
    if (letter.delivered.includes(address)) continue
    try {
      over.throwIfAborted()
      await mailer.deliver(address, email)
      await noteLetterDelivered(database, letter.key, address)
    } catch (error) {
      failed = true
      log.warn({ error: traceError(error) }, 'letter not delivered')
    }
  }
  if (!failed) return noteLetterSent(database, letter.key)
  if (stopping.aborted) return void (await retryLetter(database, letter.key, NOW))
  const delaySeconds = Math.min(RETRY_SECONDS_MAX, RETRY_SECONDS * 2 ** (letter.attempts - 1))
  const times = { delaySeconds, givenUpAfterSeconds: GIVEN_UP_AFTER_SECONDS }
  if (await retryLetter(database, letter.key, times)) log.error({}, 'letter given up')
}

async function addressesOf(
  { database }: Environment,
  { organizationId }: DueLetter,
): Promise<string[]> {
  return organizationId === null
    ? listOperatorEmails(database, ADDRESSES_MAX)
    : listOwnerEmails(database, organizationId, ADDRESSES_MAX)
}

async function writeLetter(environment: Environment, letter: DueLetter): Promise<Email> {
  const { database, settings } = environment
  const root = settings.console.public_url.replace(/\/$/, '')
  const { kind, organizationId, facts } = letter
  if (kind === 'payment_alert' || organizationId === null) {
    const alert = facts['alert'] as PaymentAlert
    // The others are about all payments.
    const ofOne = alert === 'declines' || alert === 'warning'
    const about = ofOne ? (await findOrganization(database, String(facts['about']))).name : ''
    const link = alert === 'warning' ? `${root}/operator/payments/${facts['payment']}` : root
    return { kind: 'payment_alert', alert, about, link }
  }
  const money = (micro: number) => {
    const { amount, currency } = viewMoney(micro, settings.currency)
    return `${amount} ${currency}`
  }
  const { slug, name } = await findOrganization(database, organizationId)
  const link = `${root}/o/${slug}/billing`
  const amount = money(Number(facts['amount']))
  if (kind === 'credit_expires')
    return { kind, name, amount, until: readable(String(facts['until'])), link }
  const { balance } = await balanceOf(database, organizationId)
  return {
    kind: 'payment_paid',
    name,
    amount,
    balance: money(balance),
    link,
  }
}

/** `2027-01-31 08:00 UTC` */
function readable(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

import { traceError } from '../../../lib/log.ts'
import {
  claimLetters,
  forgetLetters,
  noteLetterDelivered,
  releaseLetter,
  type DueLetter,
} from '../../../store/payments/top-up-letters.ts'
import { listOwnerEmails } from '../../../store/people/members.ts'
import type { Email } from '../../mail/emails.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { settingsOf } from '../settings-of.ts'

/** Letters that one process sends at once. */
const BATCH_LETTERS = 10
/** Longer than all attempts for one letter can take, so that no two processes send it at once. */
const LEASE_SECONDS = 300
const RECIPIENTS_MAX = 10
const RETRY_SECONDS = 30
const RETRY_SECONDS_MAX = 3_600
/** A mail server that is down for a day gets no letter. */
const GIVEN_UP_AFTER_MS = 86_400_000

/**
 * Sends what owners must know of automatic top-up. A delivery is recorded at once and not repeated;
 * a process that dies between a delivery and its record causes a second one. Returns whether there
 * may be more.
 */
export async function sendTopUpLetters(environment: Environment): Promise<boolean> {
  const { database } = environment
  const due = await claimLetters(database, BATCH_LETTERS, LEASE_SECONDS)
  await Promise.all(due.map(async (letter) => sendLetter(environment, letter)))
  await forgetLetters(database)
  return due.length === BATCH_LETTERS
}

async function sendLetter(environment: Environment, letter: DueLetter): Promise<void> {
  const { database, mailer, log } = environment
  const organizationId = letter.organization.id
  // Without a mail server it is only shown in the console.
  const owners = mailer.configured
    ? await listOwnerEmails(database, organizationId, RECIPIENTS_MAX)
    : []
  let failed = false
  for (const address of owners) {
    if (letter.delivered.includes(address)) continue
    try {
      await mailer.deliver(address, emailOf(environment, letter))
      await noteLetterDelivered(database, letter.id, address)
    } catch (error) {
      failed = true
      log.warn({ organizationId, error: traceError(error) }, 'top-up letter not delivered')
    }
  }
  const isGivenUp = Date.now() - letter.madeAt.getTime() > GIVEN_UP_AFTER_MS
  const seconds = Math.min(RETRY_SECONDS_MAX, RETRY_SECONDS * 2 ** (letter.attempts - 1))
  await releaseLetter(database, letter.id, failed && !isGivenUp ? seconds : null)
}

function emailOf({ settings }: Environment, letter: DueLetter): Email {
  const { slug, name: organization } = letter.organization
  const { reason, failure, kind } = letter
  const billing = `${settings.console.public_url.replace(/\/$/, '')}/o/${slug}/billing`
  const money = (micro: number | null) => {
    const { amount, currency } = viewMoney(micro ?? 0, settings.currency)
    return `${amount} ${currency}`
  }
  const amount = money(letter.amount)
  switch (kind) {
    case 'confirm': {
      // It may be over by now: then the console tells.
      const { page_hosts: hosts } = settingsOf(settings)
      const isOurs = letter.url !== null && hosts.includes(new URL(letter.url).hostname)
      return { kind: 'top_up_confirm', organization, amount, link: isOurs ? letter.url : billing }
    }
    case 'failed':
      return { kind: 'top_up_failed', organization, amount, failure: reason, link: billing }
    case 'paused':
      return { kind: 'top_up_paused', organization, reason, failure, link: billing }
    case 'bound': {
      const bound = reason === 'day' ? 'day' : 'month'
      const { monthMax } = letter.bounds
      return { kind: 'top_up_bound', organization, bound, month: money(monthMax), link: billing }
    }
  }
}

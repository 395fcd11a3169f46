import { withoutQuotes, type FactorChange, type MailWords } from '../emails.ts'
import { topUp } from './top-up/english.ts'
import { englishPayments } from './english-payments.ts'

const ONCE = 'The link works once, within 24 hours.'
const NOT_YOU = 'If this was not you, ignore this email: nothing changes.'

const FACTOR_CHANGES: Readonly<Record<FactorChange, string>> = {
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  app_added: 'An authenticator app was added to your account',
  app_removed: 'The authenticator app was removed from your account',
  codes_replaced: 'New recovery codes were made for your account',
  all_removed: 'Passkeys and authenticator app were removed from your account',
}

const compose: MailWords['compose'] = {
  ...topUp.compose,
  sign_up: (message) => ({
    subject: 'Confirm your email address',
    paragraphs: [
      'Open this link to confirm your email address and to choose a password:',
      message.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  sign_up_again: (message) => ({
    subject: 'You already have an account',
    paragraphs: [
      'Somebody tried to sign up with your email address. You already have an account:',
      message.link,
      NOT_YOU,
    ],
  }),
  reset: (message) => ({
    subject: 'Set a new password',
    paragraphs: ['Open this link to set a new password:', message.link, ONCE, NOT_YOU],
  }),
  password_changed: (message) => ({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and all other sessions were ended.',
      'If this was not you, set a new password at once:',
      message.link,
    ],
  }),
  new_address: (message) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      `Whoever uses the account ${message.account} wants to use this address for it. If that ` +
        'is you, open this link:',
      message.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  old_address: (message) => ({
    subject: 'Your email address is being changed',
    paragraphs: [
      `Somebody who is signed in to your account changes its address to ${message.newAddress}.`,
      'If this was not you, change your password at once: that also cancels the change.',
    ],
  }),
  factor_changed: (message) => ({
    subject: FACTOR_CHANGES[message.change],
    paragraphs: [
      `${FACTOR_CHANGES[message.change]}.`,
      'If this was not you, set a new password at once. Then remove every passkey and app that ' +
        'you do not know:',
      message.link,
    ],
  }),
  new_device: (message) => ({
    subject: 'A new device signed in to your account',
    paragraphs: [
      'Somebody signed in to your account with a browser that was not used for it before.',
      'If this was not you, set a new password at once. Then look at your sessions, passkeys and ' +
        'apps:',
      message.link,
    ],
  }),
  key_revoked: (message) => ({
    subject: 'A key was revoked because its secret was found',
    paragraphs: [
      `Somebody found the secret of the key ${quoted(message.name)} (${message.shownAs}) and ` +
        'sent it to the service, so the key was revoked. Nothing that uses it works any more.',
      'Find out where the secret was published, and give what needs a key another one:',
      message.link,
    ],
  }),
  account_deleted: () => ({
    subject: 'Your account was deleted',
    paragraphs: [
      'Your account was deleted, with its password, passkeys, sessions and memberships. Keys ' +
        'that belonged to you stopped working.',
      'This cannot be undone. If it was not you who asked for it, tell the operator of the ' +
        'service.',
    ],
  }),
  domain_missing: (message) => ({
    subject: 'The DNS record of a domain is missing',
    paragraphs: [
      `Your organization has verified ${message.domain}, but its DNS record was not found today:`,
      message.record,
      'If it stays away for three days, the domain is no longer verified: nobody can sign in ' +
        'with SSO there, and another organization can verify it. Set the record again:',
      message.link,
    ],
  }),
  domain_lost: (message) => ({
    subject: 'A domain is no longer verified',
    paragraphs: [
      `The DNS record of ${message.domain} was missing for three days, so your organization no ` +
        'longer has this domain. Its people cannot sign in with SSO, and another organization ' +
        'can verify it.',
      'To get it back, set the record again and verify the domain:',
      message.record,
      message.link,
      'If your organization allows only SSO and you cannot sign in, ask the operator of the ' +
        'service.',
    ],
  }),
  stream_paused: (message) => ({
    subject: 'The audit log is no longer streamed',
    paragraphs: [
      `The receiver of the audit log (${message.receiver}) has not answered for two weeks, or ` +
        '100,000 events wait for it. Nothing is sent there any more.',
      'The audit log has all events. When the receiver works again, set the stream again: it ' +
        'goes on with what waited.',
      message.link,
    ],
  }),
  provisioned: (message) => ({
    subject: 'Your account was added to an organization',
    paragraphs: [
      `The identity provider of ${quoted(message.organization)} has made your account a member ` +
        'there, because your email address is in a domain that this organization has verified.',
      'It may sign you in from now on, and end your membership. Your password and your other ' +
        'organizations stay as they are. If you do not want this, leave the organization:',
      message.link,
    ],
  }),
  admitted: (message) => ({
    subject: 'Your account is ready',
    paragraphs: ['Your account was admitted. Sign in here:', message.link],
  }),
  platform_role_changed: (message) => ({
    subject: 'Your platform role was changed',
    paragraphs: [
      message.role === null
        ? 'Your account has no platform role any more. All your sessions were ended.'
        : `Your account has the platform role ${message.role} now. All your sessions were ended.`,
      message.link,
    ],
  }),
  invitation: (message) => ({
    // Tenants choose these names: in a subject they would speak for the service.
    subject: 'Invitation to an organization',
    paragraphs: [
      `${message.inviter === null ? 'The operator' : quoted(message.inviter)} invites you to ` +
        `${quoted(message.organization)}:`,
      message.link,
      `You join as ${withArticle(message.role)}. The link works once, within 7 days.`,
    ],
  }),
  spending_alert_test: (message) => ({
    subject: 'Test of a spending alert',
    paragraphs: [
      `This is a test of the spending alert of ${quoted(message.name)}. No amount was reached.`,
      message.link,
    ],
  }),
  spending_alert: (message) => ({
    subject: `Spending alert: ${message.threshold} reached`,
    paragraphs: [
      `${quoted(message.name)} has spent ${message.spent} in ${message.month} (UTC).`,
      `You asked to be told at ${message.threshold}.`,
      message.link,
    ],
  }),
  ...englishPayments,
}

const ACCOUNT = 'this address belongs to an account there'
const OWNER = 'you are an owner or an admin of an organization there'

const reasons: MailWords['reasons'] = {
  ...topUp.reasons,
  sign_up: 'somebody entered this address to sign up',
  sign_up_again: 'somebody entered this address to sign up',
  reset: 'somebody asked for a new password for this address',
  new_address: 'somebody entered this address for an account',
  old_address: ACCOUNT,
  password_changed: ACCOUNT,
  factor_changed: ACCOUNT,
  new_device: ACCOUNT,
  key_revoked: ACCOUNT,
  account_deleted: 'this address belonged to an account there',
  domain_missing: OWNER,
  domain_lost: OWNER,
  stream_paused: 'you are responsible for the audit log there',
  provisioned: ACCOUNT,
  admitted: 'this address signed up there',
  platform_role_changed: ACCOUNT,
  invitation: 'somebody invited this address',
  spending_alert_test: 'this address is in the alert',
  spending_alert: 'this address is in the alert',
  payment_paid: 'you are an owner of an organization there',
  payment_refunded: 'you are an owner of an organization there',
  credit_expires: 'you are an owner of an organization there',
  invoice_issued: 'you are an owner of an organization there',
  invoice_overdue: 'you are an owner of an organization there',
  invoice_paid: 'you are an owner of an organization there',
  payment_alert: 'you are an operator of the service there',
}

const buttons: MailWords['buttons'] = {
  ...topUp.buttons,
  invoice_issued: 'Pay the invoice',
  invoice_overdue: 'Pay the invoice',
  sign_up: 'Confirm and choose a password',
  sign_up_again: 'Sign in',
  reset: 'Set a new password',
  new_address: 'Look at the change',
  password_changed: 'Set a new password',
  admitted: 'Sign in',
  invitation: 'Look at the invitation',
}

export const english: MailWords = {
  compose,
  reasons,
  contactReason:
    'this address is a billing contact of that organization; its owners and admins can change that',
  buttons,
  openConsole: 'Open the console',
  from: (host) => `Headrace at ${host}`,
  why: (host, reason) => `You get this email from ${host}, because ${reason}.`,
}

function quoted(name: string): string {
  return `"${withoutQuotes(name)}"`
}

function withArticle(role: string): string {
  return /^[aeiou]/.test(role) ? `an ${role}` : `a ${role}`
}

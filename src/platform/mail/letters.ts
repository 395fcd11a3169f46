// The text of every letter. Names that people chose are data: they are cut to one line, and escaped
// in HTML.

export type Letter =
  | { readonly kind: 'sign_up'; readonly link: string }
  | { readonly kind: 'reset'; readonly link: string }
  | {
      readonly kind: 'new_address'
      readonly link: string
      /** The present address of the account. */
      readonly account: string
    }
  | { readonly kind: 'sign_up_again'; readonly link: string }
  | { readonly kind: 'old_address'; readonly newAddress: string }
  | { readonly kind: 'password_changed'; readonly link: string }
  | { readonly kind: 'factor_changed'; readonly change: FactorChange; readonly link: string }
  | { readonly kind: 'new_device'; readonly link: string }
  | {
      readonly kind: 'key_revoked'
      readonly name: string
      /** The parts of the key that may be shown. */
      readonly shownAs: string
      readonly link: string
    }
  | { readonly kind: 'account_deleted' }
  | ({ readonly kind: 'domain_missing' } & DomainFacts)
  | ({ readonly kind: 'domain_lost' } & DomainFacts)
  /** Where the audit log was sent. */
  | { readonly kind: 'stream_paused'; readonly receiver: string; readonly link: string }
  | {
      readonly kind: 'provisioned'
      readonly organization: string
      readonly link: string
    }
  | { readonly kind: 'admitted'; readonly link: string }
  | {
      readonly kind: 'platform_role_changed'
      /** Null if the account has none any more. */
      readonly role: string | null
      readonly link: string
    }
  | {
      readonly kind: 'invitation'
      readonly link: string
      readonly organization: string
      readonly role: string
      /** Null if the operator of the service invites. */
      readonly inviter: string | null
    }
  | {
      readonly kind: 'spending_alert'
      readonly link: string
      /** Organization or project. */
      readonly name: string
      readonly month: string
      readonly threshold: string
      readonly spent: string
    }

type DomainFacts = {
  readonly domain: string
  /** The record as it should be: name, type and value. */
  readonly record: string
  readonly link: string
}

export type FactorChange = keyof typeof FACTOR_CHANGES

export type LetterText = {
  readonly subject: string
  readonly text: string
  readonly html: string
}

type Paragraphs = { readonly subject: string; readonly paragraphs: readonly string[] }

export function writeLetter(letter: Letter): LetterText {
  const { subject, paragraphs } = compose(letter)
  const lines = paragraphs.map(toLine)
  const html = lines.map((line) => `<p>${isLink(line) ? anchor(line) : escape(line)}</p>`)
  return {
    subject: toLine(subject),
    text: `${lines.join('\n\n')}\n`,
    html: `${HTML_HEAD}${html.join('')}</body></html>`,
  }
}

const HTML_HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><body>'

const ONCE = 'The link works once, within 24 hours.'
const NOT_YOU = 'If this was not you, ignore this e-mail: nothing changes.'

/** What happened to the ways to sign in to an account. */
const FACTOR_CHANGES = {
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  app_added: 'An authenticator app was added to your account',
  app_removed: 'The authenticator app was removed from your account',
  codes_replaced: 'New recovery codes were made for your account',
  all_removed: 'Passkeys and authenticator app were removed from your account',
} as const

type Composers = {
  readonly [Kind in Letter['kind']]: (letter: Extract<Letter, { kind: Kind }>) => Paragraphs
}

const COMPOSERS: Composers = {
  sign_up: (letter) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'Open this link to confirm your e-mail address and to choose a password:',
      letter.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  sign_up_again: (letter) => ({
    subject: 'You already have an account',
    paragraphs: [
      'Somebody tried to sign up with your e-mail address. You already have an account:',
      letter.link,
      NOT_YOU,
    ],
  }),
  reset: (letter) => ({
    subject: 'Set a new password',
    paragraphs: ['Open this link to set a new password:', letter.link, ONCE, NOT_YOU],
  }),
  password_changed: (letter) => ({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and all other sessions were ended.',
      'If this was not you, set a new password at once:',
      letter.link,
    ],
  }),
  new_address: (letter) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Whoever uses the account ${letter.account} wants to use this address for it. If that ` +
        'is you, open this link:',
      letter.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  old_address: (letter) => ({
    subject: 'Your e-mail address is being changed',
    paragraphs: [
      `Somebody who is signed in to your account changes its address to ${letter.newAddress}.`,
      'If this was not you, change your password at once: that also cancels the change.',
    ],
  }),
  factor_changed: (letter) => ({
    subject: FACTOR_CHANGES[letter.change],
    paragraphs: [
      `${FACTOR_CHANGES[letter.change]}.`,
      'If this was not you, set a new password at once. Then remove every passkey and app that ' +
        'you do not know:',
      letter.link,
    ],
  }),
  new_device: (letter) => ({
    subject: 'A new device signed in to your account',
    paragraphs: [
      'Somebody signed in to your account with a browser that was not used for it before.',
      'If this was not you, set a new password at once. Then look at your sessions, passkeys and ' +
        'apps:',
      letter.link,
    ],
  }),
  key_revoked: (letter) => ({
    subject: 'A key was revoked because its secret was found',
    paragraphs: [
      `Somebody found the secret of the key ${quoted(letter.name)} (${letter.shownAs}) and sent ` +
        'it to the service, so the key was revoked. Nothing that uses it works any more.',
      'Find out where the secret was published, and give what needs a key another one:',
      letter.link,
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
  domain_missing: (letter) => ({
    subject: 'The DNS record of a domain is missing',
    paragraphs: [
      `Your organization has verified ${letter.domain}, but its DNS record was not found today:`,
      letter.record,
      'If it stays away for three days, the domain is no longer verified: nobody can sign in ' +
        'with SSO there, and another organization can verify it. Set the record again:',
      letter.link,
    ],
  }),
  domain_lost: (letter) => ({
    subject: 'A domain is no longer verified',
    paragraphs: [
      `The DNS record of ${letter.domain} was missing for three days, so your organization no ` +
        'longer has this domain. Its people cannot sign in with SSO, and another organization ' +
        'can verify it.',
      'To get it back, set the record again and verify the domain:',
      letter.record,
      letter.link,
      'If your organization allows only SSO and you cannot sign in, ask the operator of the ' +
        'service.',
    ],
  }),
  stream_paused: (letter) => ({
    subject: 'The audit log is no longer streamed',
    paragraphs: [
      `The receiver of the audit log (${letter.receiver}) has not answered for two weeks, or ` +
        '100,000 events wait for it. Nothing is sent there any more.',
      'The audit log has all events. When the receiver works again, set the stream again: it ' +
        'goes on with what waited.',
      letter.link,
    ],
  }),
  provisioned: (letter) => ({
    subject: 'Your account was added to an organization',
    paragraphs: [
      `The identity provider of ${quoted(letter.organization)} has made your account a member ` +
        'there, because your e-mail address is in a domain that this organization has verified.',
      'It may sign you in from now on, and end your membership. Your password and your other ' +
        'organizations stay as they are. If you do not want this, leave the organization:',
      letter.link,
    ],
  }),
  admitted: (letter) => ({
    subject: 'Your account is ready',
    paragraphs: ['Your account was admitted. Sign in here:', letter.link],
  }),
  platform_role_changed: (letter) => ({
    subject: 'Your platform role was changed',
    paragraphs: [
      letter.role === null
        ? 'Your account has no platform role any more. All your sessions were ended.'
        : `Your account has the platform role ${letter.role} now. All your sessions were ended.`,
      letter.link,
    ],
  }),
  invitation: (letter) => ({
    // Tenants choose these names: in a subject they would speak for the service.
    subject: 'Invitation to an organization',
    paragraphs: [
      `${letter.inviter === null ? 'The operator' : quoted(letter.inviter)} invites you to ` +
        `${quoted(letter.organization)}:`,
      letter.link,
      `You will be ${letter.role}. The link works once, within 7 days.`,
    ],
  }),
  spending_alert: (letter) => ({
    subject: `Spending alert: ${letter.threshold} reached`,
    paragraphs: [
      `${quoted(letter.name)} has spent ${letter.spent} in ${letter.month} (UTC).`,
      `You asked to be told at ${letter.threshold}.`,
      letter.link,
    ],
  }),
}

function compose(letter: Letter): Paragraphs {
  return (COMPOSERS[letter.kind] as (letter: Letter) => Paragraphs)(letter)
}

/** The name cannot end its own quotes. */
function quoted(name: string): string {
  return `"${name.replaceAll(/[\p{Pi}\p{Pf}"„‟]/gu, "'")}"`
}

/** Foreign names must not start a line, a header or a paragraph of their own. */
function toLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

function isLink(line: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/.test(line)
}

function anchor(link: string): string {
  return `<a href="${escape(link)}">${escape(link)}</a>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

// The text of every letter. Names that people chose are data: they are cut to one line, and escaped
// in HTML.

export type Letter =
  | { readonly kind: 'verify' | 'reset' | 'new_address'; readonly link: string }
  | { readonly kind: 'sign_up_again'; readonly link: string }
  | { readonly kind: 'old_address'; readonly newAddress: string }
  | { readonly kind: 'password_changed'; readonly link: string }
  | { readonly kind: 'admitted'; readonly link: string }
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

function compose(letter: Letter): Paragraphs {
  switch (letter.kind) {
    case 'verify':
      return {
        subject: 'Confirm your e-mail address',
        paragraphs: ['Open this link to confirm your e-mail address:', letter.link, ONCE, NOT_YOU],
      }
    case 'sign_up_again':
      return {
        subject: 'You already have an account',
        paragraphs: [
          'Somebody tried to sign up with your e-mail address. You already have an account:',
          letter.link,
          NOT_YOU,
        ],
      }
    case 'reset':
      return {
        subject: 'Set a new password',
        paragraphs: ['Open this link to set a new password:', letter.link, ONCE, NOT_YOU],
      }
    case 'password_changed':
      return {
        subject: 'Your password was changed',
        paragraphs: [
          'The password of your account was changed, and all other sessions were ended.',
          'If this was not you, set a new password at once:',
          letter.link,
        ],
      }
    case 'new_address':
      return {
        subject: 'Confirm your new e-mail address',
        paragraphs: ['Open this link to use this address from now on:', letter.link, ONCE, NOT_YOU],
      }
    case 'old_address':
      return {
        subject: 'Your e-mail address is being changed',
        paragraphs: [
          `Somebody who is signed in to your account changes its address to ${letter.newAddress}.`,
          'If this was not you, change your password at once: that also cancels the change.',
        ],
      }
    case 'admitted':
      return {
        subject: 'Your account is ready',
        paragraphs: ['Your account was admitted. Sign in here:', letter.link],
      }
    case 'invitation':
      return {
        subject: `Invitation to ${letter.organization}`,
        paragraphs: [
          `${letter.inviter ?? 'The operator'} invites you to ${letter.organization}:`,
          letter.link,
          `You will be ${letter.role}. The link works once, within 7 days.`,
        ],
      }
    case 'spending_alert':
      return {
        subject: `Spending alert: ${letter.name} reached ${letter.threshold}`,
        paragraphs: [
          `${letter.name} has spent ${letter.spent} in ${letter.month} (UTC).`,
          `You asked to be told at ${letter.threshold}.`,
          letter.link,
        ],
      }
  }
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

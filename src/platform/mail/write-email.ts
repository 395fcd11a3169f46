import type { Language } from '../../contract/language.ts'
import type { Email, MailWords, Paragraphs } from './emails.ts'
import { chinese } from './words/chinese.ts'
import { english } from './words/english.ts'
import { german } from './words/german.ts'

const WORDS: Readonly<Record<Language, MailWords>> = {
  en: english,
  de: german,
  'zh-CN': chinese,
}

export type EmailText = {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Subject, first and last line name the host, so that an email can be told from a forgery. */
export function writeEmail(message: Email, publicUrl: string, language: Language): EmailText {
  const { host } = new URL(publicUrl)
  const words = WORDS[language]
  const compose = words.compose[message.kind] as (message: Email) => Paragraphs
  const { subject, paragraphs } = compose(message)
  const from = words.from(host)
  const reason = message.toContact ? words.contactReason : words.reasons[message.kind]
  const why = words.why(host, reason)
  const lines = paragraphs.map(toLine)
  const button = words.buttons[message.kind] ?? words.openConsole
  const html = [
    `<p><b>${escape(from)}</b></p>`,
    ...lines.map((line) => (isLink(line) ? anchor(line, button) : `<p>${escape(line)}</p>`)),
    `<p style="${SMALL}">${escape(why)}</p>`,
  ]
  return {
    subject: `${toLine(subject)} (${host})`,
    text: `${[from, ...lines, why].join('\n\n')}\n`,
    html: `${htmlHead(language)}${html.join('')}</body></html>`,
  }
}

const BODY =
  '<body style="font-family:sans-serif;line-height:1.5;max-width:36em;overflow-wrap:anywhere">'
const SMALL = 'font-size:small;color:#5b6670'
const BUTTON =
  'display:inline-block;padding:10px 16px;border-radius:6px;background:#0b6e80;color:#ffffff;' +
  'text-decoration:none'

function htmlHead(language: Language): string {
  return `<!doctype html><html lang="${language}"><meta charset="utf-8">${BODY}`
}

/** Foreign names must not start a line, a header or a paragraph of their own. */
function toLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

function isLink(line: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/.test(line)
}

/** The address is readable too: people see where the button leads, and can copy it. */
function anchor(link: string, button: string): string {
  const address = escape(link)
  return (
    `<p><a style="${BUTTON}" href="${address}">${escape(button)}</a></p>` +
    `<p style="${SMALL}">${address}</p>`
  )
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

import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { DEFAULT_LANGUAGE, type Language } from '../../contract/language.ts'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import { traceError, type Log } from '../../lib/log.ts'
import { isAddress } from './address.ts'
import type { Email } from './emails.ts'
import { writeEmail } from './write-email.ts'

/** In memory. Beyond it an email is dropped and logged; whoever needs it asks again. */
const QUEUE_MAX = 1_000
const CONNECTIONS_MAX = 2
const ATTEMPTS_MAX = 6
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000
const TIMEOUT_MS = 10_000
/** How long a process that ends still sends. */
const FLUSH_MS = 5_000

export type Mailer = {
  /** Without it nothing is sent, and a link is shown to whoever caused it. */
  readonly configured: boolean
  /**
   * Returns at once; the email is sent afterwards. Throws if the address is not one address. It is
   * in the language of the account with this address, else in the given one, else in English.
   */
  send(address: string, message: Email, otherwise?: Language | null): void
  /** Resolves when the server has accepted the email, and does not retry. */
  deliver(address: string, message: Email): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type MailSettings = {
  readonly smtpUrl: string | undefined
  readonly from: string | undefined
  /** Where the console is; emails name its host. */
  readonly publicUrl: string
  /** The language that the account with this address has chosen. */
  readonly languageOf: (address: string) => Promise<Language | null>
}

export function openMailer(settings: MailSettings, log: Log): Mailer {
  const { smtpUrl, from } = settings
  if (smtpUrl === undefined || from === undefined)
    return {
      configured: false,
      send: () => {},
      deliver: () => Promise.reject(new Error('no email is configured')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  return new QueueingMailer({ ...settings, smtpUrl, from }, log)
}

type QueuedEmail = {
  readonly address: string
  readonly message: Email
  readonly otherwise: Language
  attempts: number
}

type CompleteSettings = MailSettings & { readonly smtpUrl: string; readonly from: string }

class QueueingMailer implements Mailer {
  readonly configured = true
  readonly #transport
  readonly #settings: CompleteSettings
  readonly #log: Log
  readonly #queue: QueuedEmail[] = []
  /** Emails that wait for their next attempt, so that they do not hold up the others. */
  readonly #retries = new Map<QueuedEmail, NodeJS.Timeout>()
  readonly #senders = new Set<Promise<void>>()
  #closing = false

  constructor(settings: CompleteSettings, log: Log) {
    this.#settings = settings
    this.#log = log
    this.#transport = createTransport({
      url: settings.smtpUrl,
      pool: true,
      maxConnections: CONNECTIONS_MAX,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  send(address: string, message: Email, otherwise?: Language | null): void {
    if (!isAddress(address)) throw new TypeError('not an email address')
    const waiting = this.#queue.length + this.#retries.size
    if (this.#closing || waiting >= QUEUE_MAX)
      this.#log.error({ count: waiting }, 'email dropped, queue full')
    else {
      const language = otherwise ?? DEFAULT_LANGUAGE
      this.#enqueue({ address, message, otherwise: language, attempts: 0 })
    }
  }

  async deliver(
    address: string,
    message: Email,
    otherwise: Language = DEFAULT_LANGUAGE,
  ): Promise<void> {
    if (!isAddress(address)) throw new TypeError('not an email address')
    const { from, publicUrl, languageOf } = this.#settings
    const language = (await languageOf(address)) ?? otherwise
    await this.#transport.sendMail({
      // An object: as a string, an address could be read as several.
      to: { name: '', address },
      from,
      ...writeEmail(message, publicUrl, language),
      headers: { 'auto-submitted': 'auto-generated' },
    })
  }

  #enqueue(queued: QueuedEmail): void {
    this.#queue.push(queued)
    if (this.#senders.size >= CONNECTIONS_MAX) return
    const sender = this.#sendAll().finally(() => this.#senders.delete(sender))
    this.#senders.add(sender)
  }

  async #sendAll(): Promise<void> {
    // Not within the caller's turn: the answer goes first.
    await new Promise(setImmediate)
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
      await this.#deliver(next)
  }

  async #deliver(queued: QueuedEmail): Promise<void> {
    try {
      await this.deliver(queued.address, queued.message, queued.otherwise)
    } catch (error) {
      queued.attempts += 1
      if (queued.attempts === ATTEMPTS_MAX || isPermanent(error) || this.#closing)
        this.#log.error({ error: traceError(error) }, 'email could not be sent')
      else {
        this.#log.warn({ error: traceError(error) }, 'sending email failed, retrying')
        this.#retryLater(queued)
      }
    }
  }

  #retryLater(queued: QueuedEmail): void {
    const delayMs = exponentialBackoffMs(queued.attempts, RETRY_MS, RETRY_MS_MAX)
    const retry = () => {
      this.#retries.delete(queued)
      this.#enqueue(queued)
    }
    this.#retries.set(queued, setTimeout(retry, delayMs))
  }

  /** Sends what is queued, for a few seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    const lost = this.#retries.size
    for (const timer of this.#retries.values()) clearTimeout(timer)
    this.#retries.clear()
    const timeout = new AbortController()
    await Promise.race([
      Promise.all(this.#senders),
      pause(FLUSH_MS, undefined, { signal: timeout.signal }).catch(() => {}),
    ])
    timeout.abort()
    const count = lost + this.#queue.length
    this.#queue.length = 0
    if (count > 0) this.#log.error({ count }, 'emails lost at shutdown')
    this.#transport.close()
  }
}

/** 5xx: the server refuses this email. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error)) return false
  return typeof error.responseCode === 'number' && error.responseCode >= 500
}

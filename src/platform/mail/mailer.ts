import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import { traceError, type Log } from '../../lib/log.ts'
import { isAddress } from './address.ts'
import { writeLetter, type Letter } from './letters.ts'

/** In memory. Beyond it a letter is dropped and logged; whoever needs it asks again. */
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
  /** Returns at once; the letter is sent afterwards. Throws if the address is not one address. */
  send(address: string, letter: Letter): void
  /** Resolves when the server has accepted the letter, and does not retry. */
  deliver(address: string, letter: Letter): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type MailSettings = {
  readonly smtpUrl: string | undefined
  readonly from: string | undefined
}

export function openMailer(settings: MailSettings, log: Log): Mailer {
  const { smtpUrl, from } = settings
  if (smtpUrl === undefined || from === undefined)
    return {
      configured: false,
      send: () => {},
      deliver: () => Promise.reject(new Error('no e-mail is configured')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  return new QueueingMailer(smtpUrl, from, log)
}

type QueuedLetter = { readonly address: string; readonly letter: Letter; attempts: number }

class QueueingMailer implements Mailer {
  readonly configured = true
  readonly #transport
  readonly #from: string
  readonly #log: Log
  readonly #queue: QueuedLetter[] = []
  /** Letters that wait for their next attempt, so that they do not hold up the others. */
  readonly #retries = new Map<QueuedLetter, NodeJS.Timeout>()
  readonly #senders = new Set<Promise<void>>()
  #closing = false

  constructor(smtpUrl: string, from: string, log: Log) {
    this.#from = from
    this.#log = log
    this.#transport = createTransport({
      url: smtpUrl,
      pool: true,
      maxConnections: CONNECTIONS_MAX,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  send(address: string, letter: Letter): void {
    if (!isAddress(address)) throw new TypeError('not an e-mail address')
    const waiting = this.#queue.length + this.#retries.size
    if (this.#closing || waiting >= QUEUE_MAX)
      this.#log.error({ count: waiting }, 'e-mail dropped, too many are waiting')
    else this.#enqueue({ address, letter, attempts: 0 })
  }

  async deliver(address: string, letter: Letter): Promise<void> {
    if (!isAddress(address)) throw new TypeError('not an e-mail address')
    await this.#transport.sendMail({
      // An object: as a string, an address could be read as several.
      to: { name: '', address },
      from: this.#from,
      ...writeLetter(letter),
      headers: { 'auto-submitted': 'auto-generated' },
    })
  }

  #enqueue(queued: QueuedLetter): void {
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

  async #deliver(queued: QueuedLetter): Promise<void> {
    try {
      await this.deliver(queued.address, queued.letter)
    } catch (error) {
      queued.attempts += 1
      if (queued.attempts === ATTEMPTS_MAX || isPermanent(error) || this.#closing)
        this.#log.error({ error: traceError(error) }, 'e-mail could not be sent')
      else {
        this.#log.warn({ error: traceError(error) }, 'sending e-mail failed, retrying')
        this.#retryLater(queued)
      }
    }
  }

  #retryLater(queued: QueuedLetter): void {
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
    if (count > 0) this.#log.error({ count }, 'e-mails lost at shutdown')
    this.#transport.close()
  }
}

/** 5xx: the server refuses this letter. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error)) return false
  return typeof error.responseCode === 'number' && error.responseCode >= 500
}

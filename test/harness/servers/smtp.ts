import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { waitUntil } from '../figures/measure.ts'

const TIMEOUT_MS = 20_000

export type ReceivedEmail = {
  readonly from: string
  /** Recipients of the envelope: who really gets it. */
  readonly to: readonly string[]
  /** Headers and body as they were sent. */
  readonly source: string
  readonly subject: string
  /** The first part of the body, decoded. */
  readonly text: string
}

/** A real SMTP server that collects emails. */
export type MailServer = AsyncDisposable & {
  readonly url: string
  readonly emails: ReceivedEmail[]
  /** The answer to the next messages, as a status such as 451; null accepts them. */
  refuseWith: number | null
  /** Addresses that no mailbox has: their messages are refused with 550. */
  readonly unknown: Set<string>
  /** Waits for an email to an address whose subject contains the text. Removes it. */
  take(address: string, subject?: string): Promise<ReceivedEmail>
}

export async function startMailServer(): Promise<MailServer> {
  const emails: ReceivedEmail[] = []
  const unknown = new Set<string>()
  const state: { refuseWith: number | null } = { refuseWith: null }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        const from = mailFrom === false ? '' : mailFrom.address
        const status = to.some((address) => unknown.has(address)) ? 550 : state.refuseWith
        if (status !== null)
          return done(Object.assign(new Error('refused'), { responseCode: status }))
        emails.push(readEmail(from, to, Buffer.concat(chunks).toString()))
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    unknown,
    get refuseWith() {
      return state.refuseWith
    },
    set refuseWith(status) {
      state.refuseWith = status
    },
    async take(address, subject = '') {
      const isIt = (message: ReceivedEmail) =>
        message.to.some((to) => to.toLowerCase() === address.toLowerCase()) &&
        message.subject.includes(subject)
      await waitUntil(`an email ${subject} to ${address}`, () => emails.some(isIt), TIMEOUT_MS)
      const at = emails.findIndex(isIt)
      const [message] = at === -1 ? [] : emails.splice(at, 1)
      if (message === undefined) throw new Error(`no email ${subject} to ${address}`)
      return message
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function readEmail(from: string, to: readonly string[], source: string): ReceivedEmail {
  const [head = '', ...rest] = source.split('\r\n\r\n')
  const subject = /^Subject: (.*(?:\r\n .*)*)/m.exec(head)?.[1]?.replaceAll('\r\n', '') ?? ''
  const body = rest.join('\r\n\r\n')
  return { from, to, source, subject, text: decodePart(firstPart(body)) }
}

/** The text comes first of the two alternatives. */
function firstPart(body: string): string {
  const boundary = /^--\S+/m.exec(body)?.[0]
  return boundary === undefined ? body : (body.split(boundary)[1] ?? '')
}

function decodePart(part: string): string {
  const [head = '', ...rest] = part.trimStart().split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

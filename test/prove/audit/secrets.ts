import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { SMTPServer } from 'smtp-server'

/** Members of bodies that no row, log line or error may repeat. */
const SECRET_MEMBER = /password|secret|token/

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const LONG = /^[\w-]{20,}$/
/** No form of a secret is shorter. */
const SHORTEST = 20

export type Secrets = {
  /** Makes the secrets in a body unique, and remembers them. */
  plant<Body extends object>(body: Body): Body
  /** Remembers the secrets in an answer that contains some. */
  learn(text: string): void
  add(secret: string): void
  readonly size: number
  readonly all: readonly string[]
}

export function createSecrets(): Secrets {
  const known = new Set<string>()
  // A cookie that is taken back has no value.
  const add = (secret: string) => {
    if (secret.length >= SHORTEST) known.add(secret)
  }
  const learn = (value: unknown): void => {
    if (typeof value === 'string') secretsIn(value).forEach(add)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(learn)
  }
  return {
    plant(body) {
      const planted = Object.entries(body).map(([name, value]): [string, unknown] => {
        if (!SECRET_MEMBER.test(name) || typeof value !== 'string') return [name, value]
        const secret = `Canary-${crypto.randomUUID().replaceAll('-', '')}`
        add(secret)
        return [name, secret]
      })
      return Object.fromEntries(planted) as typeof body
    },
    learn: (text) => learn(JSON.parse(text)),
    add,
    get size() {
      return known.size
    },
    get all() {
      return [...known]
    },
  }
}

/** A key without its prefix, the token in the fragment of a link, or a long word. */
function secretsIn(text: string): string[] {
  const fragment = text.startsWith('http') ? (text.split('#')[1] ?? '') : text
  return fragment
    .split(/[=&]/)
    .map((part) => part.replace(/^[a-z]+_(sk|mk|pg)_/, ''))
    .filter((part) => LONG.test(part) && !UUID.test(part))
}

/** Places where a secret is: every table as text, and whatever else was written. */
export async function findSecrets(
  pool: Pool,
  secrets: readonly string[],
  written: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly found: string[]; readonly bytes: number }> {
  const texts = new Map(Object.entries(written).map(([name, lines]) => [name, lines.join('\n')]))
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p') and not relispartition and relname <> 'change_log'`,
  )
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t`,
    )
    texts.set(`table ${name}`, rows.map(({ row }) => row).join('\n'))
  }
  const forms = secrets.flatMap(formsOf)
  const found = [...texts].filter(([, text]) => containsAny(text, forms)).map(([name]) => name)
  const bytes = [...texts.values()].reduce((sum, text) => sum + text.length, 0)
  return { found, bytes }
}

/** Looks each place of the text up once, however many forms there are. */
function containsAny(text: string, forms: readonly string[]): boolean {
  const beginnings = new Set(forms.map((form) => form.slice(0, SHORTEST)))
  for (let at = 0; at + SHORTEST <= text.length; at += 1)
    if (beginnings.has(text.slice(at, at + SHORTEST))) return true
  return false
}

/** As it is, as bytes are shown in hexadecimal, and in Base64 from its first byte on. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
  return [secret, bytes.toString('hex'), base64, bytes.subarray(0, 18).toString('base64url')]
}

export type CollectedEmails = AsyncDisposable & { readonly url: string; readonly texts: string[] }

/** A real SMTP server that keeps the text of every email. */
export async function collectEmails(): Promise<CollectedEmails> {
  const texts: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        // Quoted-printable breaks long lines.
        texts.push(Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '='))
        done()
      })
    },
  })
  // A console that was killed ends its connection in the middle of an email.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    texts,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((closed) => {
        server.close(() => closed())
      })
    },
  }
}

/** The tokens in the links of an email. */
export function tokensOf(message: string): string[] {
  return [...message.matchAll(/#[^\s"<]*?([\w-]{20,})/g)].map(([, token]) => token ?? '')
}

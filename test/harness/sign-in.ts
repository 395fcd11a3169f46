import { hashPassword } from '../../src/platform/identity/password.ts'
import { setPassword } from '../../src/store/sign-in/passwords.ts'
import {
  ask,
  PUBLIC_URL,
  startConsole,
  type Answer,
  type Headers,
  type PersonFacts,
  type TestConsole,
} from './console.ts'
import { startMailServer, type MailServer } from './smtp.ts'
import type { Config } from '../../src/config/load.ts'

export const PASSWORD = 'k7-plum-otter-lamp'

/** A browser that is not signed in. */
export const STRANGER: Headers = { origin: PUBLIC_URL }

export type MailingConsole = { readonly server: TestConsole; readonly mail: MailServer }

/** A console that sends e-mail, to a server that collects it. */
export async function startMailingConsole(
  settings: Partial<Config['console']> = {},
): Promise<MailingConsole & AsyncDisposable> {
  const mail = await startMailServer()
  const server = await startConsole((config) => ({
    ...config,
    smtp_url: mail.url,
    console: { ...config.console, email_from: 'Headrace <no-reply@example.com>', ...settings },
  }))
  return {
    server,
    mail,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
    },
  }
}

export async function openPersonWithPassword(server: TestConsole, facts: PersonFacts = {}) {
  const person = await server.openPerson(facts)
  const phc = await hashPassword(PASSWORD)
  await setPassword(server.postgres.database, person.accountId, phc)
  return person
}

export async function signIn(
  server: Pick<TestConsole, 'root'>,
  email: string,
  password: string = PASSWORD,
  as: Headers = STRANGER,
): Promise<Answer> {
  return ask(server.root, 'POST', '/sessions', { as, body: { email, password } })
}

/** The browser that got this answer. */
export function browserOf({ headers }: Answer): Headers {
  const [cookie = ''] = (headers['set-cookie'] ?? '').split(';')
  return { cookie, origin: PUBLIC_URL }
}

export function tokenIn(text: string): string {
  return /#token=([\w-]{43})/.exec(text)?.[1] ?? ''
}

import { hashPassword } from '../../../src/platform/sign-in/identity/password.ts'
import { setPassword } from '../../../src/store/sign-in/passwords.ts'
import {
  ask,
  newAddress,
  PUBLIC_URL,
  startConsole,
  type Answer,
  type Headers,
  type PersonFacts,
  type TestConsole,
} from '../processes/console.ts'
import { startMailServer, type MailServer } from '../servers/smtp.ts'
import type { Config } from '../../../src/config/load.ts'

export const PASSWORD = 'k7-plum-otter-lamp'

/** A browser that is not signed in. */
export const STRANGER: Headers = { origin: PUBLIC_URL }

export type MailingConsole = { readonly server: TestConsole; readonly mail: MailServer }

/** A console that sends email, to a server that collects it. */
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
  from: string = newAddress(),
): Promise<Answer> {
  return ask(server.root, 'POST', '/sessions', { as, from, body: { email, password } })
}

/** The browser that got this answer. */
export function browserOf({ cookies }: Pick<Answer, 'cookies'>): Headers {
  const cookie = cookies.map((value) => value.split(';')[0]).join('; ')
  return { cookie, origin: PUBLIC_URL }
}

/** The same browser after its person has signed out: of its cookies, the one of the device. */
export function deviceOf({ cookies }: Pick<Answer, 'cookies'>): Headers {
  const isDevice = (value: string) => value.startsWith('__Host-headrace_device=')
  return browserOf({ cookies: cookies.filter(isDevice) })
}

export function tokenIn(text: string): string {
  return /#token=([\w-]{43})/.exec(text)?.[1] ?? ''
}

/**
 * Resolves when the work after earlier answers is done. Two tasks run at a time, and each of these
 * two waits for the other: so both places were free.
 */
export async function untilWorkIsDone({ environment }: Pick<TestConsole, 'environment'>) {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const meet = (own: PromiseWithResolvers<void>, other: PromiseWithResolvers<void>) =>
    environment.later(crypto.randomUUID(), async () => {
      own.resolve()
      await other.promise
    })
  meet(first, second)
  meet(second, first)
  await Promise.all([first.promise, second.promise])
}

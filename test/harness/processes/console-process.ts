import { chooseFreePort } from '../../../stack/ports.ts'
import { hashPassword } from '../../../src/platform/sign-in/identity/password.ts'
import { setPassword } from '../../../src/store/sign-in/passwords.ts'
import { openPerson, type Person, type PersonFacts } from './console.ts'
import { startEnvironment, type Environment } from '../environment.ts'
import { PASSWORD } from '../clients/sign-in.ts'

const PORT_FIRST = 10_000
const PORTS = 5_000

/** A `headrace console` process that browsers reach at its public address. */
export type ConsoleProcess = AsyncDisposable & {
  readonly environment: Environment
  /** `http://localhost:…`, because browsers treat it as secure. */
  readonly origin: string
  /** Of the management API. */
  readonly root: string
  /** Somebody who can sign in with `PASSWORD`. */
  openPersonWithPassword(facts?: PersonFacts): Promise<Person>
}

export async function startConsoleProcess(settings: object = {}): Promise<ConsoleProcess> {
  const port = await findFreePort()
  const origin = `http://localhost:${port}`
  const section = { port, health_port: 0, public_url: origin, ...settings }
  const environment = await startEnvironment({ valkey: 'own', sections: { console: section } })
  await environment.startConsole()
  const { postgres } = environment
  return {
    environment,
    origin,
    root: `${origin}/management/v1`,
    async openPersonWithPassword(facts = {}) {
      const person = await openPerson(postgres, facts)
      await setPassword(postgres.database, person.accountId, await hashPassword(PASSWORD))
      return person
    },
    [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose](),
  }
}

/**
 * The public address contains the port, so it must be known before the start. Until then no
 * outgoing connection may take it: the kernel takes theirs from a range above.
 */
export async function findFreePort(): Promise<number> {
  return chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
}

import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { changeAccount } from '../../../src/store/tenants/accounts.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import { openConsoleClient, type ConsoleCall } from '../../harness/clients/console-clients.ts'
import { openPerson, openSession, type Headers } from '../../harness/processes/console.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'

/** Somebody who has a right, and the call that needs it. */
export type Subject = {
  readonly accountId: string
  readonly organizationId: string
  readonly as: Headers
  readonly path: string
  readonly call: ConsoleCall
}

export type Taking = {
  readonly postgres: Postgres
  readonly root: string
  readonly subject: Subject
}

export type Loss = {
  readonly name: string
  readonly method: string
  /** Within the organization, or of the account itself. */
  readonly path: (organizationId: string) => string
  readonly body?: object
  /** Before the first call. */
  prepare?(postgres: Postgres, subject: Subject): Promise<void>
  /** Resolves when the change was answered. */
  take(taking: Taking): Promise<void>
}

const keysOf = (organizationId: string) => `/organizations/${organizationId}/keys`

/** Each way to lose a right, and a call that shows it. */
export const LOSSES: readonly Loss[] = [
  {
    name: 'restriction',
    method: 'GET',
    path: () => '/me',
    async take({ postgres, subject }) {
      await changeAccount(postgres.database, subject.accountId, { state: 'restricted' })
    },
  },
  {
    name: 'removal',
    method: 'GET',
    path: keysOf,
    async take({ postgres, subject }) {
      await changeMember(postgres.database, subject, { state: 'removed' })
    },
  },
  {
    name: 'role change',
    method: 'POST',
    path: keysOf,
    body: { name: 'of an admin' },
    async take({ postgres, subject }) {
      await changeMember(postgres.database, subject, { role: 'viewer' })
    },
  },
  {
    name: 'password change',
    method: 'GET',
    path: () => '/me',
    async take({ postgres, root, subject }) {
      // From another session, which goes on.
      const as = await openSession(postgres, subject.accountId)
      const body = { password: 'seven-lamps-and-a-boat' }
      await expect(204, root, 'PUT', '/me/password', { as, body })
    },
  },
  {
    name: 'sign-out',
    method: 'GET',
    path: () => '/me',
    async take({ root, subject }) {
      await expect(204, root, 'DELETE', '/sessions/current', { as: subject.as })
    },
  },
  {
    name: 'end of all other sessions',
    method: 'GET',
    path: () => '/me',
    async take({ postgres, root, subject }) {
      const as = await openSession(postgres, subject.accountId)
      await expect(204, root, 'DELETE', '/sessions', { as })
    },
  },
]

export async function openSubject(postgres: Postgres, loss: Loss): Promise<Subject> {
  const { id: organizationId } = await openOrganization(postgres.database, 'ample')
  const { accountId, as } = await openPerson(postgres, { organizationId, role: 'admin' })
  const call = { as, ...(loss.body !== undefined && { body: loss.body }) }
  const subject = { accountId, organizationId, as, path: loss.path(organizationId), call }
  await loss.prepare?.(postgres, subject)
  return subject
}

async function expect(
  status: number,
  root: string,
  method: string,
  path: string,
  call: ConsoleCall,
): Promise<void> {
  await using client = openConsoleClient(root)
  const answer = await client.send(method, path, call)
  if (answer.status !== status)
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
}

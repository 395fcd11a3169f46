import { randomUUID } from 'node:crypto'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { hashPassword } from '../../../src/platform/sign-in/identity/password.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'

let phc: Promise<string> | undefined

/** Accounts that can sign in with `PASSWORD`. They share one hash, which is slow to make. */
export async function openPeople({ database }: Postgres, count: number): Promise<string[]> {
  phc ??= hashPassword(PASSWORD)
  const stored = await phc
  const people = Array.from({ length: count }, () => ({
    id: uuidV7(),
    email: `${randomUUID()}@example.com`,
  }))
  for (let at = 0; at < people.length; at += 1_000) {
    const batch = people.slice(at, at + 1_000)
    const now = new Date()
    await database
      .insertInto('accounts')
      .values(batch.map((person) => ({ ...person, state: 'active' as const, registered_at: now })))
      .execute()
    await database
      .insertInto('passwords')
      .values(batch.map(({ id }) => ({ account_id: id, phc: stored })))
      .execute()
  }
  return people.map(({ email }) => email)
}

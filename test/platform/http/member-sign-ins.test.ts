import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addMember, changeMember } from '../../../src/store/tenants/memberships.ts'
import type { PlatformRole } from '../../../src/tenancy/role.ts'
import {
  openConsoleOrganization,
  type ConsoleMember,
} from '../../harness/clients/console-members.ts'
import { startConsole } from '../../harness/processes/console.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { openPersonWithPassword, signIn } from '../../harness/clients/sign-in.ts'

const server = await startConsole()
after(() => server[Symbol.asyncDispose]())

type Listed = { readonly action: string; readonly target: { readonly id: string } }

/** The sign-ins of an account that somebody sees, newest first. */
async function signInsSeenBy(reader: ConsoleMember, accountId: string): Promise<string[]> {
  const { body, text, status } = await reader.ask('GET', '/audit-events?limit=100')
  assert.equal(status, 200, text)
  return (body.data as unknown as Listed[])
    .filter(({ action, target }) => action.startsWith('session.') && target.id === accountId)
    .map(({ action }) => action)
}

/** Signs in with a wrong password, and waits until the refusal is written; then with the right. */
async function failAndSignIn(email: string, accountId: string): Promise<void> {
  assert.equal((await signIn(server, email, 'not the password')).status, 401)
  await waitUntil('the refusal', async () => (await refusalsOf(accountId)) > 0, 30_000)
  assert.equal((await signIn(server, email)).status, 201)
}

async function refusalsOf(accountId: string): Promise<number> {
  const rows = await server.postgres.database
    .selectFrom('audit_events')
    .select('id')
    .where('target_id', '=', accountId)
    .where('action', '=', 'session.refuse')
    .execute()
  return rows.length
}

test('owners and admins see how members sign in and fail to; viewers do not', async () => {
  const { id: organizationId, owner, open } = await openConsoleOrganization(server)
  const facts = { organizationId, role: 'member' } as const
  const { email, accountId } = await openPersonWithPassword(server, facts)
  await failAndSignIn(email, accountId)
  const expected = ['session.create', 'session.refuse']
  assert.deepEqual(await signInsSeenBy(owner, accountId), expected)
  assert.deepEqual(await signInsSeenBy(await open('admin'), accountId), expected)
  assert.deepEqual(await signInsSeenBy(await open('viewer'), accountId), [])
  const [newest] = (await owner.ask('GET', '/audit-events?action=session.create')).body.data
  const { methods } = newest!['changes'] as { methods: unknown }
  assert.deepEqual(methods, [null, ['password']])
})

test('each organization of a person sees their sign-ins; others see nothing', async () => {
  const [one, two, other] = [
    await openConsoleOrganization(server),
    await openConsoleOrganization(server),
    await openConsoleOrganization(server),
  ]
  const facts = { organizationId: one.id, role: 'member' } as const
  const { email, accountId } = await openPersonWithPassword(server, facts)
  await addMember(server.postgres.database, { organizationId: two.id, accountId }, 'member')
  assert.equal((await signIn(server, email)).status, 201)
  for (const { owner } of [one, two])
    assert.deepEqual(await signInsSeenBy(owner, accountId), ['session.create'])
  assert.deepEqual(await signInsSeenBy(other.owner, accountId), [])
})

test('sign-ins before somebody joins and after they leave stay unseen', async () => {
  const { id: organizationId, owner } = await openConsoleOrganization(server)
  const { database } = server.postgres
  const { email, accountId } = await openPersonWithPassword(server)
  const ids = { organizationId, accountId }
  assert.equal((await signIn(server, email)).status, 201)
  await addMember(database, ids, 'member')
  assert.deepEqual(await signInsSeenBy(owner, accountId), [])
  assert.equal((await signIn(server, email)).status, 201)
  await changeMember(database, ids, { state: 'removed' })
  assert.equal((await signIn(server, email)).status, 201)
  assert.deepEqual(await signInsSeenBy(owner, accountId), ['session.create'])
})

test('organizations are not told how people of the service sign in', async () => {
  for (const platformRole of ['operator', 'support'] satisfies PlatformRole[]) {
    const { id: organizationId, owner } = await openConsoleOrganization(server)
    const facts = { organizationId, role: 'member', platformRole } as const
    const { email, accountId } = await openPersonWithPassword(server, facts)
    await failAndSignIn(email, accountId)
    assert.deepEqual(await signInsSeenBy(owner, accountId), [])
  }
})

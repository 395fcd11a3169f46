import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addMember, changeMember } from '../../src/store/tenants/memberships.ts'
import { openConsoleOrganization, type ConsoleMember } from '../harness/clients/console-members.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { browserOf, openPersonWithPassword, signIn } from '../harness/clients/sign-in.ts'

const HOUR_MS = 3_600_000
const RULES = { sso_only: false, second_factor_required: false }

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

async function setHours(owner: ConsoleMember, session_hours: number | null) {
  const answer = await owner.ask('PUT', '/sign-in', { body: { ...RULES, session_hours } })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

/** The sessions of an account began so long ago. */
async function age(accountId: string, hours: number): Promise<void> {
  await console_.postgres.pool.query(
    `update sessions set created_at = now() - $1 * interval '1 hour' where account_id = $2`,
    [hours, accountId],
  )
}

const statusOf = async (as: ConsoleMember['as']) =>
  (await ask(console_.root, 'GET', '/me', { as })).status

test('a session that is older than an organization allows has ended at the next call', async () => {
  const { owner, open } = await openConsoleOrganization(console_)
  const member = await open('viewer')
  await age(member.accountId, 9)
  assert.equal(await statusOf(member.as), 200)
  const { body } = await setHours(owner, 8)
  assert.equal(body['session_hours'], 8)
  assert.equal(await statusOf(member.as), 401)
  assert.equal((await member.ask('GET', '/projects')).body.error.code, 'unauthenticated')
  await age(member.accountId, 7)
  assert.equal(await statusOf(member.as), 200)
})

test('the shortest rule of all organizations counts, while one is a member there', async () => {
  const strict = await openConsoleOrganization(console_)
  const lax = await openConsoleOrganization(console_)
  await setHours(strict.owner, 2)
  await setHours(lax.owner, 48)
  const member = await lax.open('member')
  await age(member.accountId, 3)
  assert.equal(await statusOf(member.as), 200)
  const { database } = console_.postgres
  const place = { organizationId: strict.id, accountId: member.accountId }
  await addMember(database, place, 'viewer')
  assert.equal(await statusOf(member.as), 401)
  await changeMember(database, place, { state: 'removed' })
  assert.equal(await statusOf(member.as), 200)
})

test('a new session says when it ends, and the rule can be lifted', async () => {
  const { owner, id } = await openConsoleOrganization(console_)
  await setHours(owner, 3)
  const person = await openPersonWithPassword(console_, { organizationId: id, role: 'member' })
  const as = browserOf(await signIn(console_, person.email))
  const hoursOfNewest = async (headers: ConsoleMember['as']) => {
    const { body } = await ask(console_.root, 'GET', '/sessions', { as: headers })
    return (Date.parse(String(body.data[0]?.['ends_at'])) - Date.now()) / HOUR_MS
  }
  const hours = await hoursOfNewest(as)
  assert.ok(hours > 2.9 && hours <= 3, `${hours} hours`)
  // What is absent stays as it is.
  const kept = await owner.ask('PUT', '/sign-in', { body: RULES })
  assert.equal(kept.body['session_hours'], 3)
  assert.equal((await setHours(owner, null)).body['session_hours'], null)
  const later = await hoursOfNewest(browserOf(await signIn(console_, person.email)))
  assert.ok(later > 700, `${later} hours`)
})

test('owners only set it, from 1 to 720 hours, and the audit log says so', async () => {
  const { owner, open, events } = await openConsoleOrganization(console_)
  for (const session_hours of [0, 721, 1.5, '8'])
    assert.equal(
      (await owner.ask('PUT', '/sign-in', { body: { ...RULES, session_hours } })).status,
      400,
    )
  const admin = await open('admin')
  const refused = await admin.ask('PUT', '/sign-in', { body: { ...RULES, session_hours: 8 } })
  assert.equal(refused.body.error.code, 'role_required')
  await setHours(owner, 8)
  const event = (await events()).at(-1)
  assert.equal(event?.action, 'sign_in_rules.set')
  assert.deepEqual(event.changes['session_hours'], [null, 8])
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeMember } from '../../src/platform/members/change-member.ts'
import {
  openConsoleOrganization,
  type ConsoleOrganization,
} from '../harness/clients/console-members.ts'
import { ask, startConsole, type Answer, type Headers } from '../harness/processes/console.ts'
import { scopesOfRole } from '../../src/tenancy/permissions.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const

function tokenOf({ body, text }: Answer): string {
  const [, token] = String(body['link']).split('#token=')
  assert.ok(token !== undefined, text)
  return token
}

/** Somebody who has an account, and the token of an invitation for their address. */
async function inviteGuest(
  { id }: ConsoleOrganization,
  as: Headers,
  role: string,
): Promise<{ readonly invited: Answer; readonly accept: () => Promise<Answer> }> {
  const guest = await console_.openPerson()
  const path = `/organizations/${id}/invitations`
  const body = { email: guest.email, role }
  const invited = await ask(console_.root, 'POST', path, { as, body })
  const accept = () =>
    ask(console_.root, 'POST', '/invitations/accept', {
      as: guest.as,
      body: { token: tokenOf(invited) },
    })
  return { invited, accept }
}

async function lookUp(invited: Answer): Promise<number> {
  const headers = { origin: 'http://localhost:8081' }
  const body = { token: tokenOf(invited) }
  return (await ask(console_.root, 'POST', '/invitations/look-up', { headers, body })).status
}

async function openKey(
  { id, owner }: ConsoleOrganization,
  scopes: readonly string[],
): Promise<Headers> {
  const facts = { createdBy: owner.accountId, organizationId: id, scopes }
  return console_.openManagementKey(facts)
}

test('403: a management key gives only roles whose permissions it has itself', async () => {
  const organization = await openConsoleOrganization(console_)
  const member = await organization.open('viewer')
  const path = `/organizations/${organization.id}/members/${member.accountId}`
  const given = async (as: Headers, role: string) => {
    const { invited } = await inviteGuest(organization, as, role)
    const changed = await ask(console_.root, 'PATCH', path, { as, body: { role } })
    return [invited.status, changed.status]
  }
  const narrow = await openKey(organization, ['members:write'])
  for (const role of ['admin', 'member', 'viewer', 'owner'])
    assert.deepEqual(await given(narrow, role), [403, 403], role)
  const viewers = await openKey(organization, ['members:write', ...scopesOfRole('viewer')])
  assert.deepEqual(await given(viewers, 'viewer'), [201, 200])
  assert.deepEqual(await given(viewers, 'member'), [403, 403])
  const admins = await openKey(organization, scopesOfRole('admin'))
  assert.deepEqual(await given(admins, 'admin'), [201, 200])
  assert.deepEqual(await given(admins, 'owner'), [403, 403])
})

test('403: a management key sends no invitation again whose role it cannot give', async () => {
  const organization = await openConsoleOrganization(console_)
  const { invited } = await inviteGuest(organization, organization.owner.as, 'admin')
  const as = await openKey(organization, ['members:write'])
  const path = `/organizations/${organization.id}/invitations/${invited.body.id}`
  const resent = await ask(console_.root, 'POST', `${path}/resend`, { as, body: {} })
  assert.equal(resent.body.error.code, 'scope_required')
  assert.equal(await lookUp(invited), 200)
})

test('404: the invitations of somebody who is removed or leaves end at once', async () => {
  const organization = await openConsoleOrganization(console_)
  const { owner, open, events } = organization
  const [removed, leaving] = [await open('owner'), await open('admin')]
  const first = await inviteGuest(organization, removed.as, 'owner')
  const second = await inviteGuest(organization, leaving.as, 'member')
  const kept = await inviteGuest(organization, owner.as, 'member')
  assert.equal((await owner.ask('DELETE', `/members/${removed.accountId}`)).status, 204)
  assert.equal((await leaving.ask('DELETE', '/members/me')).status, 204)
  for (const { invited, accept } of [first, second]) {
    assert.equal(await lookUp(invited), 404)
    assert.equal((await accept()).status, 404)
  }
  assert.equal((await owner.ask('GET', '/invitations')).body.data.length, 1)
  assert.equal((await kept.accept()).status, 200)
  const removal = (await events()).find(({ action }) => action === 'member.remove')
  assert.deepEqual(removal?.changes['invitations_withdrawn'], [null, 1])
})

test('404: after a demotion only invitations of roles that the inviter may give stay', async () => {
  const organization = await openConsoleOrganization(console_)
  const { owner, open, id } = organization
  const inviter = await open('owner')
  const asOwner = await inviteGuest(organization, inviter.as, 'owner')
  const asAdmin = await inviteGuest(organization, inviter.as, 'admin')
  const demote = (role: string) =>
    owner.ask('PATCH', `/members/${inviter.accountId}`, { body: { role } })
  assert.equal((await demote('admin')).status, 200)
  assert.equal((await asOwner.accept()).status, 404)
  assert.equal(await lookUp(asAdmin.invited), 200)
  // The command line demotes too.
  await changeMember(console_.environment, SHELL, {
    organization: id,
    account: inviter.accountId,
    role: 'viewer',
  })
  assert.equal((await asAdmin.accept()).status, 404)
  assert.equal((await demote('owner')).status, 200)
  assert.equal((await asAdmin.accept()).status, 404)
})

test('404: an invitation ends with the key that made it, and with its creator', async () => {
  const organization = await openConsoleOrganization(console_)
  const { owner, open } = organization
  const creator = await open('owner')
  const scopes = scopesOfRole('admin')
  const facts = { name: 'invites', scopes, expires_at: new Date(Date.now() + 864e5).toISOString() }
  const [leaked, kept] = await Promise.all(
    [1, 2].map(() => creator.ask('POST', '/management-keys', { body: facts })),
  )
  const by = (made: Answer | undefined) =>
    inviteGuest(organization, { authorization: `Bearer ${made?.body.key}` }, 'admin')
  const [ofLeaked, ofKept] = [await by(leaked), await by(kept)]
  assert.equal((await owner.ask('DELETE', `/management-keys/${leaked?.body.id}`)).status, 204)
  assert.equal(await lookUp(ofLeaked.invited), 404)
  assert.equal((await ofLeaked.accept()).status, 404)
  assert.equal(await lookUp(ofKept.invited), 200)
  await owner.ask('PATCH', `/members/${creator.accountId}`, { body: { role: 'member' } })
  assert.equal((await ofKept.accept()).status, 404)
})

test('404: at acceptance it counts what the inviter may give then', async () => {
  const organization = await openConsoleOrganization(console_)
  const inviter = await organization.open('admin')
  const { invited, accept } = await inviteGuest(organization, inviter.as, 'admin')
  const { database } = console_.postgres
  const restrict = (state: 'restricted' | 'active') =>
    database.updateTable('accounts').set({ state }).where('id', '=', inviter.accountId).execute()
  await restrict('restricted')
  assert.equal(await lookUp(invited), 404)
  assert.equal((await accept()).status, 404)
  await restrict('active')
  assert.equal((await accept()).status, 200)
})

test('a management key shows only what its creator may see now', async () => {
  const { id, owner, open } = await openConsoleOrganization(console_)
  const creator = await open('owner')
  const scopes = scopesOfRole('owner')
  const facts = { createdBy: creator.accountId, organizationId: id, scopes }
  const as = await console_.openManagementKey(facts)
  const read = async (path: string) =>
    (await ask(console_.root, 'GET', `/organizations/${id}${path}`, { as })).body
  const whole = await read('/overview')
  assert.ok(['usage', 'balance', 'speed', 'keys'].every((part) => whole[part] !== null))
  const [known] = (await read('/members')).data
  assert.equal(known?.['second_factor'], false)
  await owner.ask('PATCH', `/members/${creator.accountId}`, { body: { role: 'member' } })
  const { usage, balance, speed, keys } = await read('/overview')
  assert.deepEqual(
    { usage, balance, speed, keys },
    {
      usage: null,
      balance: null,
      speed: null,
      keys: null,
    },
  )
  const projects = (await read('/projects')).data
  assert.ok(
    projects.every((project) => project['keys'] === null),
    JSON.stringify(projects),
  )
  const members = (await read('/members')).data
  assert.ok(members.every((member) => member['second_factor'] === null))
})

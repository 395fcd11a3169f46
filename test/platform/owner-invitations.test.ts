// An operator invites an owner into an organization that has none.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addMember } from '../../src/platform/members/add-member.ts'
import { changeAccount } from '../../src/platform/sign-in/accounts/change-account.ts'
import { ask, startConsole, type Answer, type Headers } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const
const OPERATOR = { platformRole: 'operator' } as const

function tokenOf({ body, text }: Answer): string {
  const [, token] = String(body['link']).split('#token=')
  assert.ok(token !== undefined, text)
  return token
}

/** An organization that nobody is in, and an operator who invites an owner. */
async function open() {
  const { id } = await console_.openOrganization()
  const operator = await console_.openPerson(OPERATOR)
  const path = `/operator/organizations/${id}`
  const invite = (email: string, as: Headers = operator.as) =>
    ask(console_.root, 'POST', `${path}/owner-invitations`, { as, body: { email } })
  const shown = async () => (await ask(console_.root, 'GET', path, { as: operator.as })).body
  return { id, operator, invite, shown }
}

const lookUp = (invited: Answer) => use('look-up', invited)
const accept = (invited: Answer, as: Headers) => use('accept', invited, as)

async function use(path: string, invited: Answer, as: Headers = {}): Promise<number> {
  const headers = { origin: 'http://localhost:8081' }
  const body = { token: tokenOf(invited) }
  return (await ask(console_.root, 'POST', `/invitations/${path}`, { as, headers, body })).status
}

test('an operator invites an owner, once, and the audit log names the operator', async () => {
  const { id, operator, invite, shown } = await open()
  const guest = await console_.openPerson()
  const invited = await invite(guest.email)
  assert.equal(invited.status, 201, invited.text)
  const { owner_invitation: open_, has_owner: hasOwner } = await shown()
  assert.deepEqual([(open_ as { email: string }).email, hasOwner], [guest.email, false])
  const support = await console_.openPerson({ platformRole: 'support' })
  const path = `/operator/organizations/${id}`
  const { body } = await ask(console_.root, 'GET', path, { as: support.as })
  assert.equal(body['owner_invitation'], null)
  const stranger = await console_.openPerson()
  assert.equal(await accept(invited, stranger.as), 409)
  assert.equal(await accept(invited, guest.as), 200)
  assert.equal(await accept(invited, guest.as), 404)
  const after_ = await shown()
  assert.deepEqual([after_['owner_invitation'], after_['has_owner']], [null, true])
  const events = await ask(console_.root, 'GET', `/organizations/${id}/audit-events`, {
    as: guest.as,
  })
  const made = events.body.data.find(({ action }) => action === 'invitation.create_owner')
  assert.ok(made !== undefined, events.text)
  assert.deepEqual(
    [(made['actor'] as { label: string }).label, made['changes']],
    [operator.email, { email: [null, guest.email], role: [null, 'owner'] }],
  )
  assert.ok(!events.text.includes(tokenOf(invited)))
})

test('409: an organization that has an owner gets none from an operator', async () => {
  const { id, invite } = await open()
  await console_.openPerson({ organizationId: id, role: 'owner' })
  assert.equal((await invite('jane@example.com')).body.error.code, 'conflict')
})

test('403: support, keys and operators without a confirmation invite no owner', async () => {
  const { operator, invite } = await open()
  const support = await console_.openPerson({ platformRole: 'support' })
  const stale = await console_.openPerson({ ...OPERATOR, confirmed: false })
  const key = await console_.openManagementKey({
    createdBy: operator.accountId,
    organizationId: null,
    scopes: ['platform:write'],
  })
  const refused = async (as: Headers) => (await invite('jane@example.com', as)).body.error.code
  assert.deepEqual(
    [await refused(support.as), await refused(key), await refused(stale.as)],
    ['role_required', 'scope_required', 'confirmation_required'],
  )
})

test('404: the invitation of an operator ends with the role, also if that comes back', async () => {
  const { operator, invite } = await open()
  const guest = await console_.openPerson()
  const invited = await invite(guest.email)
  assert.equal(await lookUp(invited), 200)
  const change = (platformRole: 'operator' | 'support') =>
    changeAccount(console_.environment, SHELL, { account: operator.accountId, platformRole })
  await change('support')
  assert.deepEqual([await lookUp(invited), await accept(invited, guest.as)], [404, 404])
  await change('operator')
  assert.deepEqual([await lookUp(invited), await accept(invited, guest.as)], [404, 404])
})

test('404: at acceptance it counts whether the inviter is an operator then', async () => {
  const { operator, invite } = await open()
  const guest = await console_.openPerson()
  const invited = await invite(guest.email)
  const { database } = console_.postgres
  const set = (facts: { state?: 'restricted' | 'active'; platform_role?: 'operator' | null }) =>
    database.updateTable('accounts').set(facts).where('id', '=', operator.accountId).execute()
  await set({ platform_role: null })
  assert.deepEqual([await lookUp(invited), await accept(invited, guest.as)], [404, 404])
  await set({ platform_role: 'operator', state: 'restricted' })
  assert.deepEqual([await lookUp(invited), await accept(invited, guest.as)], [404, 404])
  await set({ state: 'active' })
  assert.equal(await accept(invited, guest.as), 200)
})

test('404: once there is an owner the invitation is over, and is not sent again', async () => {
  const { id, invite } = await open()
  const guest = await console_.openPerson()
  const invited = await invite(guest.email)
  const owner = await console_.openPerson()
  const member = { organization: id, account: owner.accountId, role: 'owner' } as const
  await addMember(console_.environment, SHELL, member)
  assert.deepEqual([await lookUp(invited), await accept(invited, guest.as)], [404, 404])
  const path = `/organizations/${id}/invitations`
  const { body } = await ask(console_.root, 'GET', path, { as: owner.as })
  assert.equal(body.data[0]?.['invited_by'], null)
  const asking = { as: owner.as, body: {} }
  const resent = await ask(console_.root, 'POST', `${path}/${invited.body.id}/resend`, asking)
  assert.equal(resent.body.error.code, 'conflict')
})

test('another invitation of an operator replaces the one before', async () => {
  const { invite, shown } = await open()
  const [wrong, right] = [await console_.openPerson(), await console_.openPerson()]
  const first = await invite(wrong.email)
  const second = await invite(right.email)
  assert.deepEqual([await lookUp(first), await lookUp(second)], [404, 200])
  assert.equal(((await shown())['owner_invitation'] as { email: string }).email, right.email)
  assert.equal((await invite(right.email)).status, 201)
  assert.equal(await lookUp(second), 404)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole, type Answer } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

function tokenOf({ body }: Answer): string {
  const [page, token = ''] = String(body['link']).split('#token=')
  assert.equal(page, 'http://localhost:8081/join')
  return token
}

async function present(path: string, token: string, as = {}) {
  const headers = { origin: 'http://localhost:8081' }
  return ask(console_.root, 'POST', `/invitations/${path}`, { as, headers, body: { token } })
}

test('an invitation shows what it is for, works once, and makes a member', async () => {
  const { id, owner, events } = await openConsoleOrganization(console_)
  const guest = await console_.openPerson({ registered: false })
  const invited = await owner.ask('POST', '/invitations', {
    body: { email: guest.email.toUpperCase(), role: 'admin' },
  })
  assert.equal(invited.status, 201, invited.text)
  const token = tokenOf(invited)
  const shown = await present('look-up', token)
  assert.deepEqual([shown.body['role'], shown.body['invited_by']], ['admin', 'Test Person'])
  assert.equal((shown.body['organization'] as { id: string }).id, id)
  const stranger = await console_.openPerson()
  assert.equal((await present('accept', token, stranger.as)).status, 409)
  assert.equal((await present('accept', token)).status, 401)
  const answers = await Promise.all([1, 2, 3].map(() => present('accept', token, guest.as)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  const used = await present('look-up', token)
  assert.equal(used.status, 404)
  assert.equal(used.text, (await present('look-up', 'never-existed')).text)
  const members = await owner.ask('GET', '/members')
  assert.ok(members.body.data.some((member) => member.id === guest.accountId))
  const written = await events()
  assert.deepEqual(
    written.map(({ action }) => action),
    ['invitation.create', 'invitation.accept'],
  )
  assert.ok(!JSON.stringify(written).includes(token))
})

test('sending again replaces the link, and withdrawing ends it', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const body = { email: `${crypto.randomUUID()}@example.com` }
  const first = await owner.ask('POST', '/invitations', { body })
  const path = `/invitations/${first.body.id}`
  const second = await owner.ask('POST', `${path}/resend`)
  assert.equal((await present('look-up', tokenOf(first))).status, 404)
  assert.equal((await present('look-up', tokenOf(second))).status, 200)
  const listed = await owner.ask('GET', '/invitations')
  assert.deepEqual(
    listed.body.data.map(({ id }) => id),
    [first.body.id],
  )
  assert.ok(!listed.text.includes(tokenOf(second)))
  assert.equal((await owner.ask('DELETE', path)).status, 204)
  assert.equal((await present('look-up', tokenOf(second))).status, 404)
  assert.equal((await owner.ask('DELETE', path)).status, 404)
  assert.equal((await owner.ask('POST', `${path}/resend`)).status, 404)
})

test('404: after seven days a link is over, and the address can be invited anew', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const body = { email: `${crypto.randomUUID()}@example.com` }
  const first = await owner.ask('POST', '/invitations', { body })
  const daysLeft = (Date.parse(String(first.body['ends_at'])) - Date.now()) / 86_400_000
  assert.ok(daysLeft > 6.9 && daysLeft <= 7)
  const twice = await owner.ask('POST', '/invitations', { body })
  assert.equal(twice.body.error.code, 'already_exists')
  await console_.postgres.database
    .updateTable('invitations')
    .set({ ends_at: new Date(Date.now() - 1) })
    .where('id', '=', first.body.id)
    .execute()
  assert.equal((await present('look-up', tokenOf(first))).status, 404)
  assert.equal((await owner.ask('POST', '/invitations', { body })).status, 201)
})

test('403 and 409: only owners invite owners, and nobody invites a member', async () => {
  const { open, owner } = await openConsoleOrganization(console_)
  const [admin, member] = [await open('admin'), await open('member')]
  const body = { email: `${crypto.randomUUID()}@example.com`, role: 'owner' }
  const refused = await admin.ask('POST', '/invitations', { body })
  assert.equal(refused.body.error.code, 'role_required')
  const invited = await owner.ask('POST', '/invitations', { body })
  const withdrawn = await admin.ask('DELETE', `/invitations/${invited.body.id}`)
  assert.equal(withdrawn.body.error.code, 'role_required')
  assert.equal((await present('look-up', tokenOf(invited))).status, 200)
  const known = await admin.ask('POST', '/invitations', { body: { email: member.email } })
  assert.equal(known.body.error.code, 'already_exists')
  const injected = { email: 'a@example.com\r\nBcc: b@example.com' }
  assert.equal((await owner.ask('POST', '/invitations', { body: injected })).status, 400)
})

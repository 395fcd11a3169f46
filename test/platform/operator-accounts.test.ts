import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { createAccount } from '../../src/store/tenants/accounts.ts'
import { ask, openSession, startConsole } from '../harness/processes/console.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const mail = await startMailServer()
const console_ = await startConsole((config) => ({
  ...config,
  smtp_url: mail.url,
  console: { ...config.console, email_from: 'headrace@example.com' },
}))
const operator = await console_.openPerson({ platformRole: 'operator' })
const support = await console_.openPerson({ platformRole: 'support' })
endWithFile(console_, mail)

async function openWaiting(): Promise<{ id: string; email: string }> {
  const email = `${crypto.randomUUID()}@example.com`
  const { database } = console_.postgres
  const { id } = await createAccount(database, { email, state: 'waiting', registered: false })
  return { id, email }
}

async function eventsOf(targetId: string) {
  return console_.postgres.database
    .selectFrom('audit_events')
    .select(['action', 'actor_id', 'changes'])
    .where('target_id', '=', targetId)
    .execute()
}

test('support admits people who wait, once, and each gets an email', async () => {
  const [first, second] = [await openWaiting(), await openWaiting()]
  const active = await console_.openPerson()
  const ids = [first.id, second.id, active.accountId]
  const body = { ids, note: 'pilot' }
  const admit = () =>
    ask(console_.root, 'POST', '/operator/accounts/admit', { as: support.as, body })
  const admitted = await admit()
  assert.equal(admitted.status, 200, admitted.text)
  assert.equal((admitted.body['admitted'] as unknown[]).length, 2)
  assert.deepEqual(admitted.body['skipped'], [active.accountId])
  for (const { email } of [first, second]) {
    const message = await mail.take(email, 'ready')
    assert.match(message.text, /http:\/\/localhost:8081\/sign-in/)
  }
  const again = await admit()
  assert.deepEqual(again.body['admitted'], [])
  assert.equal(mail.emails.length, 0)
  const [event] = await eventsOf(first.id)
  assert.equal(event?.actor_id, support.accountId)
  assert.deepEqual(event?.changes['note'], [null, 'pilot'])
})

test('who waits writes a note, which only operators read beside the account', async () => {
  const person = await console_.openPerson({ state: 'waiting' })
  const write = (waiting_note: string | null, { as } = person) =>
    ask(console_.root, 'PATCH', '/me', { as, body: { waiting_note } })
  const noted = await write('I am Ada of Mill.')
  assert.equal(noted.status, 200, noted.text)
  assert.equal(noted.body['waiting_note'], 'I am Ada of Mill.')
  const path = `/operator/accounts?q=${person.accountId}`
  const { body } = await ask(console_.root, 'GET', path, { as: support.as })
  assert.equal(body.data[0]?.['waiting_note'], 'I am Ada of Mill.')
  assert.equal((await write('x'.repeat(501))).status, 400)
  assert.equal((await write(null)).body['waiting_note'], null)
  assert.equal((await write('x', await console_.openPerson())).status, 409)
  // What a person wrote about themselves is in no log.
  const events = await eventsOf(person.accountId)
  assert.deepEqual(
    events.map(({ changes }) => changes),
    [{ waiting_note: [false, true] }, { waiting_note: [true, false] }],
  )
})

test('admitting raises the versions of the organizations of the account', async () => {
  const organization = await console_.openOrganization()
  const person = await console_.openPerson({ state: 'waiting', organizationId: organization.id })
  const versionOf = async () =>
    (
      await console_.postgres.database
        .selectFrom('organizations')
        .select('version')
        .where('id', '=', organization.id)
        .executeTakeFirstOrThrow()
    ).version
  const earlier = await versionOf()
  const body = { ids: [person.accountId] }
  await ask(console_.root, 'POST', '/operator/accounts/admit', { as: support.as, body })
  assert.equal(await versionOf(), earlier + 1)
})

test('restricting ends all sessions at the next call and voids links', async () => {
  const organization = await console_.openOrganization()
  const person = await console_.openPerson({ organizationId: organization.id, role: 'owner' })
  const others = [
    await openSession(console_.postgres, person.accountId),
    await openSession(console_.postgres, person.accountId),
  ]
  const keys = `/organizations/${organization.id}/keys`
  assert.equal((await ask(console_.root, 'GET', keys, { as: person.as })).status, 200)
  const path = `/operator/accounts/${person.accountId}`
  const link = await ask(console_.root, 'POST', `${path}/reset-link`, { as: operator.as })
  assert.equal(link.status, 201, link.text)
  const body = { state: 'restricted', note: 'abuse' }
  const changed = await ask(console_.root, 'PATCH', path, { as: operator.as, body })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(changed.body['state'], 'restricted')
  for (const as of [person.as, ...others])
    assert.equal((await ask(console_.root, 'GET', keys, { as })).status, 401)
  const links = await console_.postgres.database
    .selectFrom('mail_tokens')
    .select('hash')
    .where('account_id', '=', person.accountId)
    .where('used_at', 'is', null)
    .execute()
  assert.deepEqual(links, [])
  const event = (await eventsOf(person.accountId)).find(({ action }) => action === 'account.change')
  assert.deepEqual(event?.changes, {
    state: ['active', 'restricted'],
    sessions: [3, 0],
    note: [null, 'abuse'],
  })
})

test('a reset link goes to the person, and is in no answer and no audit event', async () => {
  const person = await console_.openPerson()
  const path = `/operator/accounts/${person.accountId}/reset-link`
  const made = await ask(console_.root, 'POST', path, { as: operator.as })
  assert.deepEqual([made.body['sent'], made.body['link']], [true, null])
  const message = await mail.take(person.email, 'password')
  const token = /\/reset#token=(\S+)/.exec(message.text)?.[1]
  assert.ok(token)
  assert.ok(!made.text.includes(token))
  assert.ok(!JSON.stringify(await eventsOf(person.accountId)).includes(token))
})

test('a reset link needs a recent confirmation, and no key is ever shown one', async () => {
  await using silent = await startConsole()
  for (const server of [silent, console_]) {
    const old = await server.openPerson({ platformRole: 'operator', confirmed: false })
    const person = await server.openPerson()
    const path = `/operator/accounts/${person.accountId}/reset-link`
    const unconfirmed = await ask(server.root, 'POST', path, { as: old.as })
    assert.equal(unconfirmed.body.error.code, 'confirmation_required')
    const key = await server.openManagementKey({
      createdBy: old.accountId,
      organizationId: null,
      scopes: ['platform:write'],
    })
    const asked = await ask(server.root, 'POST', path, { as: key })
    assert.ok(!asked.text.includes('#token='))
    const links = await server.postgres.database
      .selectFrom('mail_tokens')
      .select('hash')
      .where('account_id', '=', person.accountId)
      .execute()
    if (server === silent) {
      assert.deepEqual([asked.status, asked.body.error.code], [403, 'scope_required'])
      assert.equal(links.length, 0)
    } else {
      assert.deepEqual(asked.body, { sent: true, link: null })
      await mail.take(person.email, 'password')
    }
  }
})

test('without email the link is shown once', async () => {
  await using silent = await startConsole()
  const as = (await silent.openPerson({ platformRole: 'operator' })).as
  const person = await silent.openPerson()
  const path = `/operator/accounts/${person.accountId}/reset-link`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const made = await ask(silent.root, 'POST', path, { as, headers })
  assert.equal(made.body['sent'], false)
  assert.match(String(made.body['link']), /^http:\/\/localhost:8081\/reset#token=[\w-]{43}$/)
  const again = await ask(silent.root, 'POST', path, { as, headers })
  assert.equal(again.body.error.code, 'already_created')
})

test('support reads and admits, and changes nothing else', async () => {
  const person = await console_.openPerson()
  const path = `/operator/accounts/${person.accountId}`
  assert.equal((await ask(console_.root, 'GET', path, { as: support.as })).status, 200)
  const body = { state: 'restricted' }
  for (const [method, below, sent] of [
    ['PATCH', '', body],
    ['DELETE', '/sessions', undefined],
    ['POST', '/reset-link', undefined],
  ] as const) {
    const answer = await ask(console_.root, method, `${path}${below}`, {
      as: support.as,
      body: sent,
    })
    assert.equal(answer.body.error.code, 'role_required', `${method} ${below}`)
  }
})

test('nobody changes their own role, and keys touch no account of operators', async () => {
  const own = `/operator/accounts/${operator.accountId}`
  const body = { platform_role: null }
  const refused = await ask(console_.root, 'PATCH', own, { as: operator.as, body })
  assert.equal(refused.body.error.code, 'conflict')
  const facts = { createdBy: operator.accountId, organizationId: null }
  const key = await console_.openManagementKey({ ...facts, scopes: ['platform:write'] })
  const person = await console_.openPerson()
  for (const [method, path, sent] of [
    ['PATCH', `/operator/accounts/${person.accountId}`, { platform_role: 'operator' }],
    ['PATCH', `/operator/accounts/${support.accountId}`, { state: 'restricted' }],
    ['POST', `${own}/reset-link`, undefined],
    ['DELETE', `${own}/sessions`, undefined],
  ] as const) {
    const answer = await ask(console_.root, method, path, { as: key, body: sent })
    assert.equal(answer.body.error.code, 'scope_required', `${method} ${path}`)
  }
  const plain = `/operator/accounts/${person.accountId}`
  const restricted = await ask(console_.root, 'PATCH', plain, {
    as: key,
    body: { state: 'restricted' },
  })
  assert.equal(restricted.status, 200)
})

test('a change of the platform role ends the sessions, and the new role works', async () => {
  const person = await console_.openPerson()
  const path = `/operator/accounts/${person.accountId}`
  const body = { platform_role: 'support' }
  await ask(console_.root, 'PATCH', path, { as: operator.as, body })
  const message = await mail.take(person.email, 'platform role')
  assert.match(message.text, /platform role support/)
  assert.equal((await ask(console_.root, 'GET', path, { as: person.as })).status, 401)
  const as = await openSession(console_.postgres, person.accountId)
  assert.equal((await ask(console_.root, 'GET', path, { as })).status, 200)
})

test('an account is shown with its organizations and sessions, without secrets', async () => {
  const organization = await console_.openOrganization()
  const person = await console_.openPerson({ organizationId: organization.id, role: 'admin' })
  const shown = await ask(console_.root, 'GET', `/operator/accounts/${person.accountId}`, {
    as: support.as,
  })
  assert.equal(shown.body['email'], person.email)
  assert.equal(shown.body['sessions'], 1)
  const [membership] = shown.body['organizations'] as { id: string; role: string }[]
  assert.deepEqual([membership?.id, membership?.role], [organization.id, 'admin'])
  const unknown = await ask(console_.root, 'GET', `/operator/accounts/${crypto.randomUUID()}`, {
    as: support.as,
  })
  assert.equal(unknown.status, 404)
})

test('pages of a search show every account once, newest first', async () => {
  const prefix = crypto.randomUUID().slice(0, 8)
  const emails = ['b', 'A', 'c_1', 'c~', '%'].map((text) => `${prefix}${text}@example.com`)
  const { database } = console_.postgres
  const ids: string[] = []
  for (const email of emails)
    ids.push((await createAccount(database, { email, state: 'active', registered: true })).id)
  const seen: string[] = []
  let rest = ''
  do {
    const path = `/operator/accounts?q=${prefix.slice(2).toUpperCase()}&limit=2${rest}`
    const page = await ask(console_.root, 'GET', path, { as: support.as })
    assert.equal(page.status, 200, page.text)
    seen.push(...page.body.data.map(({ id }) => id))
    rest = page.body.next === null ? '' : `&after=${page.body.next}`
  } while (rest !== '')
  assert.deepEqual(seen, ids.toSorted().toReversed())
  const find = async (text: string) => {
    const path = `/operator/accounts?q=${encodeURIComponent(text)}`
    const { body } = await ask(console_.root, 'GET', path, { as: support.as })
    return body.data.map((account) => account['email'])
  }
  const name = `Ada ${crypto.randomUUID().slice(0, 8)}`
  const row = { email: `${prefix}d@example.com`, state: 'active', registered: true } as const
  const { id, email } = await createAccount(database, row)
  await database.updateTable('accounts').set({ name }).where('id', '=', id).execute()
  assert.deepEqual(await find(name.slice(2).toUpperCase()), [email])
  assert.deepEqual(await find(id), [email])
  assert.deepEqual(await find('%'), [])
  const both = '/operator/accounts?q=a&state=active'
  assert.equal((await ask(console_.root, 'GET', both, { as: support.as })).status, 400)
})

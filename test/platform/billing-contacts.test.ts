import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sendEmails } from '../../src/platform/payments/watch/send-emails.ts'
import { queueEmail } from '../../src/store/payments/queued-emails.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import {
  ask,
  startConsole,
  type PersonFacts,
  type TestConsole,
} from '../harness/processes/console.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const TIMEOUT_MS = 60_000
const MICRO = 1_000_000

const mail = await startMailServer()
// Without payments: credits that expire are enough.
const console_ = await startConsole((config) => ({
  ...config,
  smtp_url: mail.url,
  console: { ...config.console, email_from: 'Headrace <no-reply@example.com>' },
}))
after(async () => {
  await console_[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const newAddress = () => `${crypto.randomUUID()}@example.com`

async function openOrganization(from: TestConsole = console_) {
  const { id } = await from.openOrganization()
  const path = `/organizations/${id}/billing-contacts`
  const open = async (role: Role, facts: PersonFacts = {}) => {
    const person = await from.openPerson({ ...facts, organizationId: id, role })
    return {
      ...person,
      put: async (emails: readonly string[]) =>
        ask(from.root, 'PUT', path, { as: person.as, body: { emails } }),
      get: async () => ask(from.root, 'GET', path, { as: person.as }),
    }
  }
  return { id, path, open, owner: await open('owner') }
}

async function readChangedAt(organizationId: string): Promise<Date | undefined> {
  const row = await console_.postgres.database
    .selectFrom('billing_contacts')
    .select('changed_at')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row?.changed_at
}

let queued = 0

/** An email about money of an organization. */
async function tell(organizationId: string, from: TestConsole = console_): Promise<string> {
  const key = `credit:${(queued += 1)}`
  const facts = { amount: 5 * MICRO, until: '2999-01-31T08:30:00.000Z' }
  await queueEmail(from.postgres.database, { key, kind: 'credit_expires', organizationId, facts })
  return key
}

async function stateOf(key: string, from: TestConsole = console_) {
  const { rows } = await from.postgres.pool.query<{
    sent: boolean
    given_up: boolean
    delivered: string[]
    attempts: number
  }>(
    `select sent_at is not null as sent, given_up_at is not null as given_up, delivered, attempts
     from queued_emails where key = $1`,
    [key],
  )
  return rows[0]!
}

async function awaitSent(key: string): Promise<void> {
  await waitUntil('the email to be sent', async () => (await stateOf(key)).sent, TIMEOUT_MS)
}

const received = (address: string) => mail.emails.filter(({ to }) => to.includes(address))

test('owners and admins set the contacts, which the audit log tells once', async () => {
  const { id, owner, open } = await openOrganization()
  assert.deepEqual((await owner.get()).body, { emails: [] })
  const admin = await open('admin')
  const emails = ['books@example.com', 'Cfo@example.com']
  const set = await admin.put([...emails, 'cfo@example.com'])
  assert.deepEqual([set.status, set.body], [200, { emails }])
  const changedAt = await readChangedAt(id)
  assert.equal((await owner.put(emails)).status, 200)
  assert.deepEqual(await readChangedAt(id), changedAt)
  assert.deepEqual((await owner.get()).body, { emails })
  assert.deepEqual((await owner.put([])).body, { emails: [] })
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .select(['actor_id', 'changes'])
    .where('organization_id', '=', id)
    .where('action', '=', 'billing_contacts.change')
    .orderBy('id')
    .execute()
  assert.deepEqual(events, [
    { actor_id: admin.accountId, changes: { emails: [[], emails] } },
    { actor_id: owner.accountId, changes: { emails: [emails, []] } },
  ])
})

test('members and viewers neither see nor set them, and nobody unconfirmed does', async () => {
  const { owner, open } = await openOrganization()
  for (const role of ['member', 'viewer'] as const) {
    const person = await open(role)
    assert.equal((await person.get()).status, 403)
    assert.equal((await person.put([])).status, 403)
  }
  const unconfirmed = await open('admin', { confirmed: false })
  assert.equal((await unconfirmed.put([newAddress()])).body.error.code, 'confirmation_required')
  assert.deepEqual((await owner.get()).body, { emails: [] })
})

test('what is no list of at most ten addresses is refused with its place', async () => {
  const { owner } = await openOrganization()
  const cases: [string[], string][] = [
    [['a@example.com', 'b@example.com\r\nBcc: c@example.com'], 'emails[1]'],
    [['a@example.com, b@example.com'], 'emails[0]'],
    [['Books <books@example.com>'], 'emails[0]'],
    [Array.from({ length: 11 }, (_, at) => `a${at}@example.com`), 'emails'],
  ]
  for (const [emails, param] of cases) {
    const refused = await owner.put(emails)
    assert.deepEqual([refused.status, refused.body.error.param], [400, param], emails.join())
  }
})

test('contacts get emails about money instead of the owners, and are told why', async () => {
  const { id, owner } = await openOrganization()
  const contact = newAddress()
  await owner.put([contact])
  await awaitSent(await tell(id))
  const [message, ...more] = received(contact)
  assert.deepEqual([more, received(owner.email)], [[], []])
  const why = 'this address is a billing contact of that organization; its owners and admins can'
  assert.ok(message!.text.includes(why), message!.text)
  await owner.put([])
  await awaitSent(await tell(id))
  assert.equal(received(contact).length, 1)
  assert.match(received(owner.email)[0]!.text, /because you are an owner/)
})

test('an address that is refused keeps the others from nothing, and is tried again', async () => {
  const { id, owner } = await openOrganization()
  const [gone, first, last] = [newAddress(), newAddress(), newAddress()]
  await owner.put([first, gone, last])
  mail.unknown.add(gone)
  const key = await tell(id)
  const isTried = async () => (await stateOf(key)).delivered.length === 2
  await waitUntil('the others', isTried, TIMEOUT_MS)
  assert.deepEqual((await stateOf(key)).delivered, [first, last])
  mail.unknown.delete(gone)
  await console_.postgres.pool.query('update queued_emails set next_at = now() where key = $1', [
    key,
  ])
  await awaitSent(key)
  for (const address of [gone, first, last]) assert.equal(received(address).length, 1)
  assert.deepEqual((await stateOf(key)).delivered, [], 'no address is kept')
})

test('what is queued when an organization is deleted reaches nobody', async () => {
  const { id, owner } = await openOrganization()
  const contact = newAddress()
  await owner.put([contact])
  mail.unknown.add(contact)
  const key = await tell(id)
  await waitUntil('a first try', async () => (await stateOf(key)).attempts > 0, TIMEOUT_MS)
  const ended = await ask(console_.root, 'DELETE', `/organizations/${id}`, { as: owner.as })
  assert.equal(ended.status, 204, ended.text)
  mail.unknown.delete(contact)
  await console_.postgres.pool.query('update queued_emails set next_at = now() where key = $1', [
    key,
  ])
  await awaitSent(key)
  assert.deepEqual([...received(contact), ...received(owner.email)], [])
})

test('whoever was entered gets a bounded number of emails a day', async () => {
  const { id, owner } = await openOrganization()
  const contact = newAddress()
  await owner.put([contact])
  const { loginLimits } = console_.environment
  for (let count = 0; count < 20; count += 1)
    await loginLimits.attempt({ kind: 'alerted', email: contact })
  await awaitSent(await tell(id))
  assert.deepEqual(received(contact), [])
})

test('without a mail server contacts can be set, and nothing waits to be sent', async () => {
  await using without = await startConsole()
  const { id, owner } = await openOrganization(without)
  const emails = [newAddress()]
  assert.deepEqual((await owner.put(emails)).body, { emails })
  const key = await tell(id, without)
  await sendEmails(without.environment, new AbortController().signal)
  assert.equal((await stateOf(key, without)).given_up, true)
})

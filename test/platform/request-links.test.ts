import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { createApiKey, displayParts, hashApiKey } from '../../src/tenancy/api-key.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { networkOfAddress } from '../../src/platform/api/network-of-address.ts'
import { postUsage } from '../../src/store/ledger/usage-records.ts'
import { openRefusals } from '../../src/store/usage/refusals.ts'
import {
  openConsoleOrganization,
  type ConsoleMember,
  type ConsoleOrganization,
} from '../harness/clients/console-members.ts'
import { ask, newAddress, PUBLIC_URL, startConsole } from '../harness/processes/console.ts'
import { logged, usageRecord } from '../harness/seed/usage-records.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const KEY_NAME = 'laptop of Jane'

/** A request with a key of this member. */
async function makeRequest({ id, projectId }: ConsoleOrganization, { accountId }: ConsoleMember) {
  const { database, pool } = console_.postgres
  const key = createApiKey('headrace')
  const credentialId = uuidV7()
  const facts = { id: credentialId, project_id: projectId, created_by: accountId, name: KEY_NAME }
  await database
    .insertInto('api_keys')
    .values({ ...facts, hash: hashApiKey(key), ...displayParts(key) })
    .execute()
  const of = { organizationId: id, projectId, credentialId, accountId }
  const record = usageRecord({ id: uuidV7(), ...of, credentialKind: 'api_key' })
  await postUsage(pool, [logged(record)])
  return { ...record, last4: displayParts(key).last4 }
}

async function linkBy(member: ConsoleMember, request: string, days?: number) {
  const body = days === undefined ? {} : { days }
  const made = await member.ask('POST', `/requests/${request}/links`, { body })
  assert.equal(made.status, 201, made.text)
  const [page, token = ''] = String(made.body['link']).split('#token=')
  assert.equal(page, `${PUBLIC_URL}/explained`)
  return { ...made, token }
}

function open(token: string, from: string = newAddress()) {
  const asked = { as: { origin: PUBLIC_URL }, body: { token }, from }
  return ask(console_.root, 'POST', '/request-links/open', asked)
}

async function assertGone(token: string): Promise<void> {
  const gone = await open(token)
  assert.equal(gone.status, 404, gone.text)
  assert.equal(gone.text, (await open('never-existed')).text)
}

test('a link shows a request to a stranger, without names of people or keys', async () => {
  const organization = await openConsoleOrganization(console_)
  const { owner, events } = organization
  const request = await makeRequest(organization, owner)
  const made = await linkBy(owner, request.id, 30)
  const days = (Date.parse(String(made.body['ends_at'])) - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days <= 30)
  const shown = await open(made.token)
  assert.equal(shown.status, 200, shown.text)
  assert.deepEqual(
    [shown.body.id, shown.body['outcome'], shown.body['key']],
    [request.id, 'completed', { kind: 'api_key', last4: request.last4 }],
  )
  const { accountId, projectId, credentialId } = request
  for (const secret of [KEY_NAME, owner.email, 'Test Person', accountId!, projectId, credentialId])
    assert.ok(!shown.text.includes(secret), secret)
  const page = await fetch(`${console_.root.replace('/management/v1', '')}/explained`)
  await page.body?.cancel()
  for (const headers of [shown.headers, Object.fromEntries(page.headers)]) {
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-robots-tag'], 'noindex')
    assert.equal(headers['cache-control'], 'no-store')
  }
  const written = await events()
  assert.deepEqual(
    written.map(({ action, changes }) => [action, changes['request']]),
    [['request_link.create', [null, request.id]]],
  )
  const stored = await sql<{ text: string }>`
    select request_links::text as text from request_links`.execute(console_.postgres.database)
  const kept = JSON.stringify([written, stored.rows])
  assert.ok(!kept.includes(made.token), 'only a hash of a link is stored')
})

test('a refused request can be linked too, with what was checked', async () => {
  const { id: organizationId, projectId, owner } = await openConsoleOrganization(console_)
  const id = uuidV7()
  const refusals = openRefusals(console_.environment.valkey)
  refusals.note({
    id,
    organizationId,
    projectId,
    credentialId: owner.accountId,
    credentialKind: 'playground',
    accountId: owner.accountId,
    status: 429,
    code: 'rate_limit_exceeded',
    param: null,
    model: 'demo',
    limits: ['tokensPerMinute'],
    checked: [{ name: 'tokensPerMinute', needed: 9, left: 4, of: 10 }],
    retryAfterMs: 30_000,
  })
  await refusals.flush()
  const { token } = await linkBy(owner, id)
  const { body } = await open(token)
  assert.deepEqual([body['outcome'], body['key']], ['refused', { kind: 'playground', last4: null }])
})

test('404, in the same words: forged, expired, withdrawn, organization deleted', async () => {
  const organization = await openConsoleOrganization(console_)
  const { id, owner, events } = organization
  const request = await makeRequest(organization, owner)
  const [expired, withdrawn, last] = [
    await linkBy(owner, request.id),
    await linkBy(owner, request.id),
    await linkBy(owner, request.id),
  ]
  const forged = `${last.token.slice(0, -2)}${last.token.endsWith('AA') ? 'BB' : 'AA'}`
  await assertGone(forged)
  await console_.postgres.database
    .updateTable('request_links')
    .set({ ends_at: new Date(Date.now() - 1) })
    .where('id', '=', expired.body.id)
    .execute()
  await assertGone(expired.token)
  const listed = await owner.ask('GET', `/request-links?request=${request.id}`)
  assert.deepEqual(
    listed.body.data.map((link) => link.id),
    [last.body.id, withdrawn.body.id],
  )
  assert.ok(!listed.text.includes(last.token))
  const path = `/request-links/${withdrawn.body.id}`
  assert.equal((await owner.ask('DELETE', path)).status, 204)
  assert.equal((await owner.ask('DELETE', path)).status, 404)
  assert.equal((await events()).at(-1)?.action, 'request_link.withdraw')
  await assertGone(withdrawn.token)
  assert.equal((await open(last.token)).status, 200)
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const ended = await ask(console_.root, 'DELETE', `/operator/organizations/${id}`, operator)
  assert.equal(ended.status, 204, ended.text)
  await assertGone(last.token)
})

test('members link and withdraw their own, viewers and other organizations none', async () => {
  const organization = await openConsoleOrganization(console_)
  const { owner, open: openMember } = organization
  const [member, viewer] = [await openMember('member'), await openMember('viewer')]
  const [own, others] = [
    await makeRequest(organization, member),
    await makeRequest(organization, owner),
  ]
  const link = (who: ConsoleMember, { id }: { readonly id: string }) =>
    who.ask('POST', `/requests/${id}/links`, { body: {} })
  assert.equal((await link(member, others)).status, 404)
  assert.equal((await link(viewer, others)).body.error.code, 'role_required')
  const elsewhere = await openConsoleOrganization(console_)
  assert.equal((await link(elsewhere.owner, others)).status, 404)
  const ofOwner = await linkBy(owner, others.id)
  const ofMember = await linkBy(member, own.id)
  const path = `/request-links/${ofOwner.body.id}`
  assert.equal((await member.ask('DELETE', path)).status, 404)
  assert.equal((await elsewhere.owner.ask('DELETE', path)).status, 404)
  const seen = await member.ask('GET', '/request-links')
  assert.deepEqual(
    seen.body.data.map(({ id }) => id),
    [ofMember.body.id],
  )
  const removed = await owner.ask('DELETE', `/request-links/${ofMember.body.id}`)
  assert.equal(removed.status, 204, removed.text)
  await assertGone(ofMember.token)
})

test('a link works while its maker may make it, and not again when they return', async () => {
  const organization = await openConsoleOrganization(console_)
  const { id: organizationId, owner, open: openMember } = organization
  const admin = await openMember('admin')
  const { token } = await linkBy(admin, (await makeRequest(organization, owner)).id)
  const path = `/members/${admin.accountId}`
  for (const [role, status] of [
    ['member', 404],
    ['viewer', 404],
    ['admin', 200],
  ] as const) {
    assert.equal((await owner.ask('PATCH', path, { body: { role } })).status, 200)
    assert.equal((await open(token)).status, status, role)
  }
  assert.equal((await owner.ask('DELETE', path)).status, 204)
  await assertGone(token)
  const { database } = console_.postgres
  await database
    .updateTable('memberships')
    .set({ state: 'active' })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', admin.accountId)
    .execute()
  await assertGone(token)
})

test('an organization that names its networks shows a link to nobody elsewhere', async () => {
  const organization = await openConsoleOrganization(console_)
  const { token } = await linkBy(
    organization.owner,
    (await makeRequest(organization, organization.owner)).id,
  )
  assert.equal((await open(token)).status, 200)
  await console_.postgres.database
    .updateTable('organizations')
    .set({ allowed_networks: ['203.0.113.0/24'] })
    .where('id', '=', organization.id)
    .execute()
  await assertGone(token)
})

test('409 and 429: an organization has 100 links, a network opens 300 an hour', async () => {
  const organization = await openConsoleOrganization(console_)
  const { id, owner } = organization
  const request = await makeRequest(organization, owner)
  const { token } = await linkBy(owner, request.id)
  const fill = (endsIn: string) => sql`
    insert into request_links (id, organization_id, request_id, token_hash, created_by, ends_at)
    select gen_random_uuid(), ${id}, ${request.id}, sha256(gen_random_uuid()::text::bytea),
      ${owner.accountId}, now() + ${endsIn}::interval from generate_series(1, 99)`
  await fill('-1 day').execute(console_.postgres.database)
  assert.equal((await linkBy(owner, request.id)).status, 201)
  await fill('1 day').execute(console_.postgres.database)
  const refused = await owner.ask('POST', `/requests/${request.id}/links`, { body: {} })
  assert.equal(refused.status, 409, refused.text)
  const from = newAddress()
  const { loginLimits } = console_.environment
  const opened = { kind: 'links', prefix: networkOfAddress(from) } as const
  await Promise.all(Array.from({ length: 299 }, () => loginLimits.attempt(opened)))
  assert.equal((await open(token, from)).status, 200)
  const last = await open(token, from)
  assert.deepEqual([last.status, last.body.error.code], [429, 'too_many_attempts'])
  assert.equal((await open(token)).status, 200)
})

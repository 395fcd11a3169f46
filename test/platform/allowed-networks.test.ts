import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  openConsoleOrganization,
  type ConsoleOrganization,
} from '../harness/clients/console-members.ts'
import { ask, startConsole, type Headers } from '../harness/processes/console.ts'

const INSIDE = '127.20.1.1'
const OUTSIDE = '127.21.1.1'
const NETWORKS = ['127.20.0.0/16', '2001:DB8::/32']

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

type Asked = { readonly body?: unknown; readonly headers?: Headers }

function call(
  { id }: ConsoleOrganization,
  as: Headers,
  from: string,
  [method, path]: readonly [string, string],
  asked: Asked = {},
) {
  return ask(console_.root, method, `/organizations/${id}${path}`, { as, from, ...asked })
}

const SET = ['PUT', '/allowed-networks'] as const
const READ = ['GET', '/projects'] as const

async function restrict(organization: ConsoleOrganization, networks: readonly string[] = NETWORKS) {
  const { as } = organization.owner
  const answer = await call(organization, as, INSIDE, SET, { body: { networks } })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

test('members and management keys are refused from other networks, at the next call', async () => {
  const organization = await openConsoleOrganization(console_)
  const { owner, id: organizationId, open } = organization
  const member = await open('member')
  const scopes = ['projects:read']
  const key = await console_.openManagementKey({
    createdBy: owner.accountId,
    organizationId,
    scopes,
  })
  const callers = [owner.as, member.as, key]
  for (const as of callers) assert.equal((await call(organization, as, OUTSIDE, READ)).status, 200)
  await restrict(organization)
  for (const as of callers) {
    const refused = await call(organization, as, OUTSIDE, READ)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'network_not_allowed'])
    assert.ok(refused.body.error.message.includes(OUTSIDE), refused.text)
    assert.equal((await call(organization, as, INSIDE, READ)).status, 200)
  }
  // The account itself, and other organizations, are not concerned.
  assert.equal(
    (await ask(console_.root, 'GET', '/me', { as: owner.as, from: OUTSIDE })).status,
    200,
  )
  await restrict(organization, [])
  assert.equal((await call(organization, member.as, OUTSIDE, READ)).status, 200)
})

test('an answer repeated by its idempotency key is refused from elsewhere too', async () => {
  const organization = await openConsoleOrganization(console_)
  const { as } = organization.owner
  await restrict(organization)
  const create = ['POST', '/projects'] as const
  const asked = { body: { name: 'twice' }, headers: { 'idempotency-key': crypto.randomUUID() } }
  assert.equal((await call(organization, as, INSIDE, create, asked)).status, 201)
  const repeated = await call(organization, as, OUTSIDE, create, asked)
  assert.equal(repeated.body.error.code, 'network_not_allowed')
})

test('a header that names another address is not believed without a trusted proxy', async () => {
  const organization = await openConsoleOrganization(console_)
  await restrict(organization)
  const headers = { 'x-forwarded-for': INSIDE }
  const { as } = organization.owner
  const refused = await call(organization, as, OUTSIDE, READ, { headers })
  assert.equal(refused.body.error.code, 'network_not_allowed')
})

test('behind a trusted proxy its last entry is the address', async () => {
  await using behind = await startConsole((config) => ({
    ...config,
    console: { ...config.console, trusted_proxies: 1 },
  }))
  const { owner } = await openConsoleOrganization(behind)
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const inside = from('198.51.100.1, 192.0.2.7:50123')
  const body = { networks: ['192.0.2.0/24'] }
  assert.equal((await owner.ask('PUT', '/allowed-networks', { ...inside, body })).status, 200)
  assert.equal((await owner.ask('GET', '/projects', inside)).status, 200)
  const elsewhere = await owner.ask('GET', '/projects', from('192.0.2.7, 198.51.100.1'))
  assert.equal(elsewhere.body.error.code, 'network_not_allowed')
  const other = await owner.ask('GET', '/projects', from('2001:db8:0:0:0:0:0:7'))
  assert.match(other.body.error.message, /\(2001:db8::7\)\. An owner can add it in the console/)
})

test('409: nobody can exclude the address that they call from', async () => {
  const organization = await openConsoleOrganization(console_)
  const { as } = organization.owner
  const asked = { body: { networks: NETWORKS } }
  const refused = await call(organization, as, OUTSIDE, SET, asked)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
  assert.ok(refused.body.error.message.includes(OUTSIDE), refused.text)
  assert.equal((await call(organization, as, OUTSIDE, READ)).status, 200)
})

test('400: a list has at most fifty networks, and each is one', async () => {
  const organization = await openConsoleOrganization(console_)
  const { as } = organization.owner
  const many = Array.from({ length: 51 }, (_, at) => `127.20.${at}.0/24`)
  assert.equal(
    (await call(organization, as, INSIDE, SET, { body: { networks: many } })).status,
    400,
  )
  for (const wrong of ['127.0.0.0/33', 'example.com', '127.0.0.0/8/8']) {
    const networks = ['127.0.0.0/8', wrong]
    const answer = await call(organization, as, INSIDE, SET, { body: { networks } })
    assert.deepEqual([answer.status, answer.body.error.param], [400, 'networks[1]'])
  }
})

test('owners only set it, the audit log says so, and each spelling becomes one', async () => {
  const organization = await openConsoleOrganization(console_)
  const admin = await organization.open('admin')
  const refused = await call(organization, admin.as, INSIDE, SET, { body: { networks: [] } })
  assert.equal(refused.body.error.code, 'role_required')
  const { body } = await restrict(organization, [...NETWORKS, '127.20.0.0/16', '192.0.2.1'])
  const stored = ['127.20.0.0/16', '2001:db8::/32', '192.0.2.1/32']
  assert.deepEqual(body['networks'], stored)
  const event = (await organization.events()).at(-1)
  assert.equal(event?.action, 'allowed_networks.set')
  assert.deepEqual(event.changes, { networks: [[], stored] })
})

test('support reads with consent from its own network', async () => {
  const organization = await openConsoleOrganization(console_)
  const { as } = organization.owner
  const grant = ['POST', '/support-access'] as const
  const granted = await call(organization, as, INSIDE, grant, { body: { hours: 1 } })
  assert.ok(granted.status < 300, granted.text)
  await restrict(organization)
  const support = await console_.openPerson({ platformRole: 'support' })
  assert.equal((await call(organization, support.as, OUTSIDE, READ)).status, 200)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ROUTES } from '../../src/platform/api/routes.ts'
import { SCIM_ROUTES } from '../../src/platform/api/scim/scim-routes.ts'
import { mayReadFacts } from '../../src/platform/audit/facts-of.ts'
import { isOrganizationPermission } from '../../src/tenancy/permissions.ts'
import { openConsoleOrganization, type ConsoleMember } from '../harness/clients/console-members.ts'
import { ask, startConsole, type Answer } from '../harness/processes/console.ts'
import { THINGS } from '../harness/routes/things.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const ALERT = {
  thresholds: ['5'],
  emails: ['cfo@corp.example'],
  webhook_url: 'https://hooks.example.com/services/SECRET-IN-THE-PATH?token=SECRET-IN-THE-QUERY',
}
const KEY = { name: 'secret name', scopes: ['keys:read'] }
const inADay = () => new Date(Date.now() + 86_400_000).toISOString()

async function openBusy() {
  const organization = await openConsoleOrganization(console_)
  const { owner } = organization
  const changes = [
    await owner.ask('PUT', '/spending-alerts', { body: ALERT }),
    await owner.ask('PUT', '/billing-contacts', { body: { emails: ['books@corp.example'] } }),
    await owner.ask('POST', '/management-keys', { body: { ...KEY, expires_at: inADay() } }),
    await owner.ask('POST', '/projects', { body: { name: 'seen by all' } }),
  ]
  assert.deepEqual(
    changes.map(({ status }) => status),
    [200, 200, 201, 201],
  )
  return organization
}

const FACTS = [
  'cfo@corp.example',
  'books@corp.example',
  'hooks.example.com',
  'secret name',
  '"keys:read"',
]

/** Which facts are in the list and in the export of the events. */
async function factsSeenBy(member: ConsoleMember, id: string): Promise<string[]> {
  const listed = await member.ask('GET', '/audit-events')
  assert.equal(listed.status, 200)
  const path = `${console_.root}/organizations/${id}/audit-events/export`
  const exported = await (await fetch(path, { headers: { ...member.as } })).text()
  const texts = [listed.text, exported.replaceAll('\\"', '"')]
  for (const text of texts) assert.ok(text.includes('seen by all'))
  const seen = FACTS.filter((fact) => texts.every((text) => text.includes(fact)))
  const leaked = FACTS.filter((fact) => texts.some((text) => text.includes(fact)))
  assert.deepEqual(seen, leaked)
  return seen
}

test('events show only facts that the role of the reader may read', async () => {
  const { id, owner, open } = await openBusy()
  assert.deepEqual(await factsSeenBy(await open('viewer'), id), [])
  assert.deepEqual(await factsSeenBy(await open('admin'), id), FACTS.slice(0, 3))
  assert.deepEqual(await factsSeenBy(owner, id), FACTS)
  const viewer = await open('viewer')
  const { data } = (await viewer.ask('GET', '/audit-events')).body
  const hidden = data.filter((event) => event['hidden'] === true)
  assert.deepEqual(
    hidden.map(({ action, changes }) => [action, changes]),
    [
      ['management_key.create', {}],
      ['billing_contacts.change', {}],
      ['spending_alert.change', {}],
    ],
  )
})

test('a management key sees the facts that its scopes and its creator may read', async () => {
  const { id, owner, open } = await openBusy()
  const creator = await open('admin')
  const read = async (scopes: string[]) => {
    const facts = { createdBy: creator.accountId, organizationId: id, scopes }
    const as = await console_.openManagementKey(facts)
    return (await ask(console_.root, 'GET', `/organizations/${id}/audit-events`, { as })).text
  }
  assert.ok(!(await read(['audit:read'])).includes('cfo@corp.example'))
  const both = ['audit:read', 'billing:write']
  assert.ok((await read(both)).includes('cfo@corp.example'))
  assert.ok(!(await read(both)).includes('secret name'))
  await owner.ask('PATCH', `/members/${creator.accountId}`, { body: { role: 'viewer' } })
  assert.ok(!(await read(both)).includes('cfo@corp.example'))
})

test('of a webhook only the origin is recorded, and that it was replaced', async () => {
  const { owner, events } = await openBusy()
  const webhook_url = 'https://hooks.example.com/services/OTHER-SECRET'
  await owner.ask('PUT', '/spending-alerts', { body: { ...ALERT, webhook_url } })
  const alerts = (await events()).filter(({ action }) => action === 'spending_alert.change')
  assert.ok(!JSON.stringify(alerts).includes('SECRET'))
  assert.deepEqual(
    alerts.map(({ changes }) => [changes['webhook_origin'], changes['webhook_replaced']]),
    [
      [
        [null, 'https://hooks.example.com'],
        [false, true],
      ],
      [
        ['https://hooks.example.com', 'https://hooks.example.com'],
        [false, true],
      ],
    ],
  )
})

/** What the service itself writes, when money moves. */
const OF_MONEY = [
  'credit.expire',
  'dispute.open',
  'invoice.issue',
  'invoice.overdue',
  'invoice.overdue_end',
  'refund.settle',
]

test('every kind of event of an organization says who may read its facts', () => {
  const doing = [...ROUTES, ...SCIM_ROUTES].map(({ does }) => does)
  const changes = doing.filter(
    ({ kind, permission }) => kind === 'change' && isOrganizationPermission(permission),
  )
  const access = { actor: { kind: 'person' }, role: 'owner', asSupport: false } as never
  const actions = [...changes.map(({ action }) => action), ...OF_MONEY]
  assert.deepEqual(
    actions.filter((action) => !mayReadFacts(access, action)),
    [],
  )
})

test('404: support reads members and events of an organization only with consent', async () => {
  const { id, owner, events } = await openBusy()
  const support = await console_.openPerson({ platformRole: 'support' })
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const paths = [
    `/operator/organizations/${id}/members`,
    `/operator/audit-events?organization=${id}`,
  ]
  const read = (as: typeof support, path: string) => ask(console_.root, 'GET', path, { as: as.as })
  const bySupport = async () => ({ seen: await all(support), made: await supportEvents() })
  const all = async (as: typeof support): Promise<number[]> =>
    (await Promise.all(paths.map((path) => read(as, path)))).map(({ status }) => status)
  const supportEvents = async () =>
    (await events())
      .filter(({ actor_kind: kind }) => kind === 'support')
      .map(({ action }) => action)
  assert.deepEqual(await bySupport(), { seen: [404, 404], made: [] })
  const mixed: Answer = await read(support, '/operator/audit-events')
  assert.equal(mixed.status, 200)
  assert.ok(mixed.body.data.every((event) => event['organization_id'] === null))
  assert.deepEqual(await all(operator), [200, 200])
  const everything = await read(operator, '/operator/audit-events')
  assert.ok(everything.body.data.some((event) => event['organization_id'] === id))
  const place = { organizationId: id, projectId: '', ownerId: owner.accountId }
  await THINGS['support-access']!(console_.postgres.database, place, owner.accountId)
  const { seen, made } = await bySupport()
  assert.deepEqual(seen, [200, 200])
  assert.deepEqual(made.toSorted(), ['audit.list_platform', 'member.list_any'])
})

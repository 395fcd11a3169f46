import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY_MS } from '../../src/lib/time.ts'
import { recordReachedAlerts } from '../../src/store/ledger/reached-alerts.ts'
import { createProject } from '../../src/store/tenants/projects.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { addUsage, readAlertRows, readReached } from '../harness/seed/billing-rows.ts'
import { ask, startConsole, type Headers } from '../harness/processes/console.ts'
import { createRandom } from '../harness/figures/random.ts'

const MICRO = 1_000_000

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

async function openMember(role: Role) {
  const organization = await console_.openOrganization()
  const { as, accountId } = await console_.openPerson({ organizationId: organization.id, role })
  const path = `/organizations/${organization.id}/spending-alerts`
  const put = (body: unknown, headers: Headers = {}) =>
    ask(console_.root, 'PUT', path, { as, body, headers })
  const list = () => ask(console_.root, 'GET', path, { as })
  return { organization, as, accountId, path, put, list }
}

function add(id: string, projectId: string, cost: number, timeMs?: number): Promise<void> {
  return addUsage(console_.postgres.pool, { id, projectId }, cost, timeMs)
}

const reachedOf = (id: string) => readReached(console_.postgres.pool, id)
const record = (nowMs = Date.now()) => recordReachedAlerts(console_.postgres.database, nowMs)

test('alerts of the organization and of a project are set, listed and removed', async () => {
  const { organization, put, list, accountId } = await openMember('admin')
  const first = await put({ thresholds: ['100', '50.5', '100.00'], emails: ['a@example.com'] })
  assert.equal(first.status, 200, first.text)
  assert.equal(first.headers['etag'], '"1"')
  const own = await put({ project: 'default', thresholds: ['10'] })
  assert.equal(own.status, 200, own.text)
  const amounts = (alert: Record<string, unknown>) =>
    (alert['thresholds'] as { amount: string }[]).map(({ amount }) => amount)
  const listed = (await list()).body.data
  assert.deepEqual(
    listed.map((each) => [(each['project'] as { id: string } | null)?.id, amounts(each)]),
    [
      [organization.projectId, ['10.00']],
      [undefined, ['50.50', '100.00']],
    ],
  )
  const event = await console_.postgres.database
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .orderBy('id')
    .executeTakeFirstOrThrow()
  assert.deepEqual(
    [event.action, event.actor_id, event.changes],
    [
      'spending_alert.change',
      accountId,
      {
        thresholds: [[], ['50.50', '100.00']],
        emails: [[], ['a@example.com']],
        webhook_origin: [null, null],
      },
    ],
  )
  const removed = await put({ thresholds: [] })
  assert.deepEqual([removed.status, removed.body['version']], [200, 0])
  assert.equal((await list()).body.data.length, 1)
})

test('a change for another version is refused with 412', async () => {
  const { put } = await openMember('owner')
  const to = (threshold: string, version: number) =>
    put({ thresholds: [threshold] }, { 'if-match': `"${version}"` })
  assert.equal((await to('1', 1)).status, 412)
  assert.equal((await to('1', 0)).headers['etag'], '"1"')
  assert.equal((await to('2', 0)).status, 412)
  const changes = await Promise.all([to('2', 1), to('3', 1), to('4', 1)])
  const statuses = changes.map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [200, 412, 412],
  )
})

test('the secret of a webhook is shown once, stored sealed, and in no event', async () => {
  const { organization, put, list } = await openMember('owner')
  const body = { thresholds: ['1'], webhook_url: 'https://example.com/hook' }
  const made = await put(body)
  const secret = made.body['webhook_secret'] as string
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal((await put(body)).body['webhook_secret'], null)
  const renewed = (await put({ ...body, new_secret: true })).body['webhook_secret'] as string
  assert.notEqual(renewed, secret)
  const rows = await readAlertRows(console_.postgres.pool, organization.id)
  const stored = rows + (await list()).text
  for (const each of [secret, renewed]) {
    const bytes = Buffer.from(each.slice('whsec_'.length), 'base64')
    for (const spelling of [each, bytes.toString('hex'), Buffer.from(each).toString('hex')])
      assert.ok(!stored.includes(spelling))
  }
})

test('what is no amount, address or https webhook is refused with its place', async () => {
  const { put } = await openMember('owner')
  const cases: [unknown, string][] = [
    [{ thresholds: ['1', '0'] }, 'thresholds[1]'],
    [{ thresholds: ['-1'] }, 'thresholds[0]'],
    [{ thresholds: ['1e3'] }, 'thresholds[0]'],
    [{ thresholds: Array.from({ length: 11 }, (_, at) => `${at + 1}`) }, 'thresholds'],
    [{ thresholds: ['1'], emails: ['a@example.com', 'b@example.com\r\nBcc: c'] }, 'emails[1]'],
    [{ thresholds: ['1'], emails: Array.from({ length: 11 }, () => 'a@b.c') }, 'emails'],
    [{ thresholds: ['1'], webhook_url: 'http://example.com/' }, 'webhook_url'],
    [{ thresholds: ['1'], webhook_url: 'https://user:pw@example.com/' }, 'webhook_url'],
    [{ thresholds: ['1'], webhook_url: 'file:///etc/passwd' }, 'webhook_url'],
  ]
  for (const [body, param] of cases) {
    const refused = await put(body)
    assert.deepEqual([refused.status, refused.body.error.param], [400, param], JSON.stringify(body))
  }
  const other = await console_.openOrganization()
  assert.equal((await put({ project: other.projectId, thresholds: ['1'] })).status, 404)
})

test('viewers and members neither read nor set alerts', async () => {
  for (const role of ['viewer', 'member'] as const) {
    const { put, list } = await openMember(role)
    assert.equal((await list()).status, 403)
    assert.equal((await put({ thresholds: ['1'] })).status, 403)
  }
})

test('a threshold is recorded once for each month, with the costs of this month only', async () => {
  const { organization, put, list } = await openMember('owner')
  const { id, projectId } = organization
  await put({ thresholds: ['5', '10'] })
  const now = new Date()
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  await add(id, projectId, 50 * MICRO, monthMs - DAY_MS)
  await record()
  assert.deepEqual(await reachedOf(id), [])
  await add(id, projectId, 7 * MICRO)
  await record()
  await add(id, projectId, 1 * MICRO)
  await record()
  assert.deepEqual(await reachedOf(id), [`- ${5 * MICRO} ${7 * MICRO}`])
  const [listed] = (await list()).body.data
  const reached = listed!['reached'] as { threshold: { amount: string }; sent_at: string | null }[]
  assert.deepEqual(
    reached.map(({ threshold }) => threshold.amount),
    ['5.00'],
  )
  // In the next month nothing is reached yet; a host whose clock is ahead has used something.
  const nextMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2)
  await record(nextMs)
  assert.equal((await reachedOf(id)).length, 1)
  await add(id, projectId, 6 * MICRO, nextMs)
  await record(nextMs)
  assert.equal((await reachedOf(id)).length, 2)
})

test('sums are read only if the next threshold may be reached, and none is missed', async () => {
  const { organization, put } = await openMember('owner')
  const { id, projectId } = organization
  const other = await createProject(console_.postgres.database, id, 'other')
  const thresholds = [3, 40, 90].map((units) => units * MICRO)
  for (const project of [null, 'default', 'other'])
    await put({ project, thresholds: thresholds.map((micro) => `${micro / MICRO}`) })
  // Alerts of other tests are settled by a first run.
  await record()
  const random = createRandom(20_261_115)
  const spent = new Map([
    [projectId, 0],
    [other.id, 0],
  ])
  let summed = 0
  const rounds = 100
  for (let round = 0; round < rounds; round += 1) {
    const project = random.chance(0.7) ? projectId : other.id
    const cost = random.between(0, 2 * MICRO)
    await add(id, project, cost)
    spent.set(project, spent.get(project)! + cost)
    summed += (await record()).summed
    const sums = [...spent.values()]
    const expected = [sums[0]! + sums[1]!, ...sums].map(
      (sum) => thresholds.filter((threshold) => threshold <= sum).length,
    )
    const reached = await reachedOf(id)
    const counts = ['- ', 'default ', 'other '].map(
      (name) => reached.filter((each) => each.startsWith(name)).length,
    )
    assert.deepEqual(counts, expected, `round ${round}`)
  }
  assert.equal((await record()).summed, 0)
  assert.ok(summed < rounds, `${summed} sums of ${3 * rounds}`)
})

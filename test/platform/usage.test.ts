import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { postUsage } from '../../src/store/ledger/usage-records.ts'
import { openRefusals } from '../../src/store/usage/refusals.ts'
import type { UsageRecord } from '../../src/tenancy/usage-record.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { INSTANCE, logged, usageRecord } from '../harness/seed/usage-records.ts'

const link = 'https://traces.example.com/{trace_id}'
const console_ = await startConsole((config) => ({
  ...config,
  tracing: { ...config.tracing, link },
}))
after(() => console_[Symbol.asyncDispose]())

const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS

/** An organization with an owner, a member and a viewer, and what both of the first have used. */
async function openUsed() {
  const organization = await console_.openOrganization()
  const organizationId = organization.id
  const person = (role: 'owner' | 'member' | 'viewer') =>
    console_.openPerson({ organizationId, role })
  const [owner, member, viewer] = [
    await person('owner'),
    await person('member'),
    await person('viewer'),
  ]
  const made = (change: Partial<UsageRecord>, hour: number) =>
    usageRecord({
      id: uuidV7(TODAY_MS - DAY_MS + hour * HOUR_MS),
      organizationId,
      projectId: organization.projectId,
      engine: 'engine-seven',
      instance: INSTANCE,
      ...change,
    })
  const ofMember = { accountId: member.accountId, credentialId: member.accountId }
  const records = [
    made({ accountId: owner.accountId }, 1),
    made({ accountId: owner.accountId, model: 'example/small' }, 2),
    made({ ...ofMember, credentialKind: 'playground' }, 3),
    made({ accountId: null, outcome: 'failed' }, 4),
  ]
  await postUsage(console_.postgres.pool, records.map(logged))
  return { organization, owner, member, viewer, records, path: `/organizations/${organizationId}` }
}

type Sum = { requests: number; model?: string; member?: { id: string } | null; cost: object }

test('usage is summed by two groups, and members see their own', async () => {
  const { owner, member, viewer, path, records } = await openUsed()
  const sum = async (as: Record<string, string>, query: string) =>
    (await ask(console_.root, 'GET', `${path}/usage?${query}`, { as })).body
  const all = (await sum(owner.as, 'by=model&by=member')).data as unknown as Sum[]
  assert.equal(all.length, 4)
  assert.equal(
    all.reduce((total, { requests }) => total + requests, 0),
    4,
  )
  assert.deepEqual(
    ((await sum(viewer.as, '')).data as unknown as Sum[]).map(({ requests }) => requests),
    [4],
  )
  const [own, ...more] = (await sum(member.as, 'by=key')).data as unknown as (Sum & {
    key: { kind: string; id: string }
  })[]
  assert.deepEqual(more, [])
  assert.deepEqual([own?.requests, own?.key.kind, own?.key.id], [1, 'playground', member.accountId])
  assert.deepEqual(own?.cost, {
    amount: String(records[2]!.cost / 1e6).padEnd(4, '0'),
    amount_micro: records[2]!.cost,
    currency: console_.config.currency,
  })
  const others = await sum(member.as, `member=${owner.accountId}`)
  assert.equal(others.error.code, 'role_required')
})

test('a period must be whole hours in order, not too long, and groups differ', async () => {
  const { owner, path } = await openUsed()
  for (const [query, param] of [
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-05-02&to=2026-05-01', 'to'],
    ['from=2020-01-01&to=2026-01-01', 'from'],
    ['from=2026-05-01T08:30Z', 'from'],
    ['by=hour&from=2026-01-01&to=2026-05-01', 'from'],
    ['by=day&by=day', 'by'],
    ['by=colour', 'by[0]'],
    ['project=mine', 'project'],
    ['limit=7', 'limit'],
  ]) {
    const answer = await ask(console_.root, 'GET', `${path}/usage?${query}`, { as: owner.as })
    assert.deepEqual([answer.status, answer.body.error.param], [400, param], query)
  }
})

test('requests are listed in pages, newest first; members see their own', async () => {
  const { owner, member, path, records, organization } = await openUsed()
  const list = (as: Record<string, string>, query: string) =>
    ask(console_.root, 'GET', `${path}/requests?${query}`, { as })
  const first = await list(owner.as, 'limit=3')
  assert.deepEqual(
    first.body.data.map(({ id }) => id),
    records
      .slice(1)
      .toReversed()
      .map(({ id }) => id),
  )
  const second = await list(owner.as, `limit=3&after=${first.body.next}`)
  assert.deepEqual([second.body.data[0]?.id, second.body.next], [records[0]!.id, null])
  const own = await list(member.as, '')
  assert.deepEqual(
    own.body.data.map(({ id }) => id),
    [records[2]!.id],
  )
  const failed = await list(owner.as, 'outcome=failed')
  assert.deepEqual(
    failed.body.data.map(({ id }) => id),
    [records[3]!.id],
  )
  assert.deepEqual(failed.body.data[0]?.['project'], {
    id: organization.projectId,
    name: 'default',
  })
  assert.equal((await list(owner.as, 'after=page2')).body.error.param, 'after')
  assert.equal((await list(member.as, `member=${owner.accountId}`)).status, 403)
})

test('refused requests are listed with their error, and members see their own', async () => {
  const { owner, member, path, organization } = await openUsed()
  const log = openRefusals(console_.environment.valkey)
  const refusal = {
    organizationId: organization.id,
    projectId: organization.projectId,
    credentialKind: 'api_key' as const,
    status: 429,
    code: 'rate_limit_exceeded',
    param: null,
    model: null,
    limits: ['tokensPerMinute'],
    retryAfterMs: 900,
  }
  const [mine, others] = [uuidV7(), uuidV7()]
  const key = { credentialId: randomUUID() }
  log.note({ ...refusal, ...key, id: mine, accountId: member.accountId })
  log.note({ ...refusal, ...key, id: others, accountId: owner.accountId })
  await log.flush()
  const list = (as: Record<string, string>, query = '') =>
    ask(console_.root, 'GET', `${path}/requests?outcome=refused${query}`, { as })
  const all = await list(owner.as)
  assert.deepEqual(
    all.body.data.map(({ id }) => id),
    [others, mine],
  )
  assert.deepEqual(all.body.data[0]?.['error'], {
    status: 429,
    code: 'rate_limit_exceeded',
    param: null,
    limits: ['tokens_per_minute'],
    checked: [],
    retry_after_ms: 900,
  })
  const page = await list(owner.as, '&limit=1')
  const next = await list(owner.as, `&limit=1&after=${page.body.next}`)
  assert.deepEqual([next.body.data[0]?.id, next.body.next], [mine, null])
  assert.equal((await list(owner.as, '&status=429')).body.data.length, 2)
  assert.deepEqual((await list(owner.as, '&status=404')).body.data, [])
  const recorded = await ask(console_.root, 'GET', `${path}/requests?status=429`, { as: owner.as })
  assert.equal(recorded.body.error.param, 'status')
  assert.equal((await list(member.as)).body.data.length, 1)
  const detail = `${path}/requests/${others}`
  assert.equal((await ask(console_.root, 'GET', detail, { as: owner.as })).status, 200)
  assert.equal((await ask(console_.root, 'GET', detail, { as: member.as })).status, 404)
})

test('a request is explained to its organization without engines, and to no one else', async () => {
  const { owner, member, viewer, path, records } = await openUsed()
  const show = (as: Record<string, string>, id: string) =>
    ask(console_.root, 'GET', `${path}/requests/${id}`, { as })
  const { body, text } = await show(viewer.as, records[0]!.id)
  // 60 uncached at 1.00, 40 cached at 0.50 and 20 completed at 3.00 per million.
  assert.deepEqual(
    (body['calculation'] as { lines: { exact: string }[]; exact: string }).lines.map(
      ({ exact }) => exact,
    ),
    ['0.000060000000', '0.000020000000', '0.000060000000'],
  )
  assert.equal((body['cost'] as { amount_micro: number }).amount_micro, 140)
  assert.deepEqual(
    [body['retention'], body['queued_ms'], body['outcome']],
    ['zero', 1, 'completed'],
  )
  assert.ok(!text.includes('engine-seven') && !text.includes(INSTANCE))
  const absent = await show(member.as, uuidV7())
  assert.equal(absent.status, 404)
  for (const id of [records[0]!.id, 'nothing', (await openUsed()).records[0]!.id])
    assert.equal((await show(member.as, id)).text, absent.text)
  assert.equal((await show(member.as, records[2]!.id)).status, 200)
  assert.equal((await show(owner.as, records[2]!.id)).status, 200)
})

test('the link to the trace of a request is shown to operators only', async () => {
  const { owner, path, records, organization } = await openUsed()
  const { id } = records[0]!
  const shown = async (as: Record<string, string>, at: string) =>
    (await ask(console_.root, 'GET', `${at}/requests/${id}`, { as })).body['trace_url']
  const facts = {
    organizationId: organization.id,
    role: 'viewer',
    platformRole: 'operator',
  } as const
  const operator = await console_.openPerson(facts)
  const url = `https://traces.example.com/${id.replaceAll('-', '')}`
  assert.equal(await shown(operator.as, '/operator'), url)
  assert.equal(await shown(operator.as, path), url)
  assert.equal(await shown(owner.as, path), null)
})

test('operators see what served a request, support with consent, which is audited', async () => {
  const { owner, records, organization } = await openUsed()
  const { id } = records[0]!
  const show = (as: Record<string, string>) =>
    ask(console_.root, 'GET', `/operator/requests/${id}`, { as })
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const { body } = await show(operator.as)
  assert.deepEqual(
    [body['engine'], body['attempts'], body['process'], body['organization']],
    ['engine-seven', 1, INSTANCE, organization.id],
  )
  assert.equal((await show(owner.as)).body.error.code, 'role_required')
  const support = await console_.openPerson({ platformRole: 'support' })
  assert.equal((await show(support.as)).status, 404)
  const { database } = console_.postgres
  await database
    .insertInto('support_access')
    .values({
      id: uuidV7(),
      organization_id: organization.id,
      granted_by: owner.accountId,
      ends_at: new Date(Date.now() + HOUR_MS),
    })
    .execute()
  assert.equal((await show(support.as)).status, 200)
  const events = await database
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'target_id'])
    .where('organization_id', '=', organization.id)
    .execute()
  assert.deepEqual(events, [{ action: 'request.explain', actor_kind: 'support', target_id: id }])
})

test('exports have each record once, with names, and those of members only their own', async () => {
  const { owner, member, path, organization } = await openUsed()
  const many = Array.from({ length: 1_200 }, (_, at) =>
    usageRecord({
      id: uuidV7(TODAY_MS - 3 * DAY_MS + at * 1_000),
      organizationId: organization.id,
      accountId: owner.accountId,
    }),
  )
  await postUsage(console_.postgres.pool, many.map(logged))
  const download = async (as: Record<string, string>, format: string) => {
    const url = `${console_.root}${path}/usage/export?format=${format}`
    const response = await fetch(url, { headers: as })
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="/)
    return { type: response.headers.get('content-type') ?? '', text: await response.text() }
  }
  const csv = await download(owner.as, 'csv')
  const lines = csv.text.trimEnd().split('\r\n')
  assert.equal(lines.length, 1_205)
  assert.ok(lines[1_204]!.startsWith(many[0]!.id))
  assert.equal(new Set(lines).size, lines.length)
  const json = await download(owner.as, 'json')
  assert.equal((JSON.parse(json.text) as { data: unknown[] }).data.length, 1_204)
  const events = await download(owner.as, 'cloudevents')
  assert.match(events.type, /^application\/cloudevents-batch\+json/)
  const [newest] = JSON.parse(events.text) as { type: string; subject: string }[]
  assert.deepEqual([newest?.type, newest?.subject], ['headrace.usage.v1', organization.id])
  const projects = console_.postgres.database.updateTable('projects').set({ name: '=1+1' })
  await projects.where('id', '=', organization.projectId).execute()
  const own = (await download(member.as, 'csv')).text.trimEnd().split('\r\n')
  assert.equal(own.length, 2)
  const [head = [], row] = own.map((line) => line.split(','))
  const shown = ['project_name', 'member_email'].map((name) => row?.[head.indexOf(name)])
  assert.deepEqual(shown, ["'=1+1", member.email])
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Content } from '../../src/lib/content.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { readMasterKeys } from '../../src/store/content/content-keys.ts'
import { openContentLog } from '../../src/store/content/content.ts'
import { listKeptDays } from '../../src/store/content/kept-content.ts'
import { createPartitions, dayOf } from '../../src/store/postgres/partitions.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { addContentKeys, countReadable } from '../harness/seed/billing-rows.ts'
import { ask, startConsole, type PersonFacts } from '../harness/processes/console.ts'
import { keepLines } from '../harness/lines.ts'
import { rowsRead } from '../harness/servers/rows-read.ts'

const TERMS = { version: '2026-05', url: 'https://example.com/contributor-terms' }

const console_ = await startConsole((config) => ({
  ...config,
  retention: { ...config.retention, contributor_terms: TERMS },
}))
after(() => console_[Symbol.asyncDispose]())

async function openMember(role: Role, facts: PersonFacts = {}) {
  const { id } = await console_.openOrganization()
  const person = await console_.openPerson({ ...facts, organizationId: id, role })
  const path = `/organizations/${id}`
  const call = (method: string, below: string, body?: unknown) =>
    ask(console_.root, method, `${path}${below}`, {
      as: person.as,
      ...(body !== undefined && { body }),
    })
  return { id, ...person, path, call }
}

async function lastEvent(organizationId: string) {
  return console_.postgres.database
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
}

test('contributor retention needs the current terms, and records who consented', async () => {
  const { id, accountId, call } = await openMember('owner')
  for (const body of [
    { retention: 'contributor' },
    { retention: 'contributor', terms_version: '2025-01' },
    { retention: 'standard', terms_version: TERMS.version },
  ]) {
    const refused = await call('PUT', '/retention', body)
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'terms_version'])
  }
  const changed = await call('PUT', '/retention', {
    retention: 'contributor',
    terms_version: TERMS.version,
  })
  assert.equal(changed.status, 200, changed.text)
  const consent = changed.body['consent'] as Record<string, string>
  assert.deepEqual([consent['version'], consent['accepted_by']], [TERMS.version, accountId])
  const event = await lastEvent(id)
  assert.deepEqual(
    [event.action, event.actor_id, event.changes],
    [
      'retention.change',
      accountId,
      {
        retention: ['zero', 'contributor'],
        contributor_terms_version: [null, TERMS.version],
      },
    ],
  )
  const again = await call('GET', '/retention')
  assert.deepEqual(again.body, changed.body)
  assert.deepEqual(
    [again.body['in_force'], again.body['contributor_terms']],
    ['contributor', TERMS],
  )
})

test('saving contributor again keeps the first consent, and leaving it ends it', async () => {
  const { call } = await openMember('owner')
  const accept = { retention: 'contributor', terms_version: TERMS.version }
  const first = await call('PUT', '/retention', accept)
  const second = await call('PUT', '/retention', accept)
  assert.deepEqual(second.body['consent'], first.body['consent'])
  assert.equal((await call('PUT', '/retention', { retention: 'zero' })).body['consent'], null)
})

test('admins read retention, only owners change it or destroy what is kept', async () => {
  const admin = await openMember('admin')
  assert.equal((await admin.call('GET', '/retention')).status, 200)
  assert.equal((await admin.call('PUT', '/retention', { retention: 'zero' })).status, 403)
  assert.equal((await admin.call('DELETE', '/kept-content')).status, 403)
  const viewer = await openMember('viewer')
  assert.equal((await viewer.call('GET', '/retention')).status, 403)
  const unconfirmed = await openMember('owner', { confirmed: false })
  const refused = await unconfirmed.call('DELETE', '/kept-content')
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'confirmation_required'])
})

async function keep(organizationId: string, count: number): Promise<void> {
  const options = {
    masterKeys: readMasterKeys(console_.config.content_key!),
    bytesMax: 100_000_000,
    log: keepLines().log,
  }
  await using log = openContentLog(console_.postgres.pool, options)
  for (let number = 0; number < count; number += 1)
    log.keep(
      {
        id: uuidV7(),
        organizationId,
        projectId: crypto.randomUUID(),
        model: 'example/large',
        retention: 'standard',
        terms: null,
        content: new Content(Buffer.from('canary of the content')),
      },
      0,
    )
  await log.flush()
}

test('kept content is counted by day, and destroyed for good from the answer on', async () => {
  const { id, call } = await openMember('owner')
  await keep(id, 3)
  const today = dayOf(Date.now())
  const kept = await call('GET', '/kept-content')
  const day = { retention: 'standard', day: today, records: 3, more: false }
  assert.deepEqual(kept.body, { data: [day], next: null })
  assert.ok(!kept.text.includes('canary'))
  const destroyed = await call('DELETE', '/kept-content')
  assert.deepEqual([destroyed.status, destroyed.body], [200, { destroyed_keys: 1 }])
  assert.deepEqual((await call('GET', '/kept-content')).body.data, [])
  assert.equal(await countReadable(console_.postgres.pool, id), 0)
  const event = await lastEvent(id)
  assert.deepEqual([event.action, event.changes], ['content.destroy', { content_keys: [1, 0] }])
  // The rows that nobody can read are not counted with those that are kept afterwards.
  await keep(id, 2)
  assert.deepEqual((await call('GET', '/kept-content')).body.data, [{ ...day, records: 2 }])
})

test('kept days are listed in pages, and a busy day costs at most a thousand rows', async () => {
  const { id, call } = await openMember('owner')
  await keep(id, 1_200)
  await addContentKeys(console_.postgres.pool, id, 3)
  const listed: string[] = []
  let next = ''
  for (let pages = 0; pages < 9; pages += 1) {
    const { body } = await call('GET', `/kept-content?limit=2${next}`)
    listed.push(...body.data.map((each) => [each['retention'], each['day']].join(' ')))
    if (body.next === null) break
    next = `&after=${body.next}`
  }
  const days = [0, 1, 2, 3].map((ago) => dayOf(Date.now() - ago * DAY_MS))
  assert.deepEqual(listed, [
    ...days.map((day) => `standard ${day}`),
    ...days.slice(1).map((day) => `contributor ${day}`),
  ])
  const { pool } = console_.postgres
  await createPartitions(pool, 'retained_standard', days[3] ?? '', days[0] ?? '')
  await pool.query('analyze retained_content')
  const read = await rowsRead(console_.postgres, /^retained_/, async (database) => {
    const [busy] = await listKeptDays(database, id, { limit: 31 })
    assert.deepEqual([busy?.records, busy?.more], [1_000, true])
  })
  // And the few of other tests.
  assert.ok(read <= 1_010, `${read} rows`)
  assert.equal((await call('GET', '/kept-content?after=standard.2026-13-45')).status, 400)
})

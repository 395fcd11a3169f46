import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { findAuditEvents, type AuditFilter } from '../../src/store/people/find-audit-events.ts'
import { createPartitions, dayOf } from '../../src/store/postgres/partitions.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { addAuditEvents, setCreation, type EventRow } from '../harness/seed/billing-rows.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { rowsRead } from '../harness/servers/rows-read.ts'

const EVENTS = 24_000
const RARE = 400
const NOW = new Date()
/** The events are of the 24 months before this one. */
const FIRST_MS = month(-24)
const LAST_MS = month(0)

/** The start of the month this many months from now, and days later. */
function month(from: number, days = 0): number {
  return Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() + from, 1 + days)
}

type Event = EventRow

/** Of 24 months; every 400th has the rare actor, action and target. */
function made(number: number): Event {
  const timeMs = FIRST_MS + Math.floor((number * (LAST_MS - FIRST_MS)) / EVENTS)
  const rare = number % RARE === 7
  return {
    id: uuidV7(timeMs),
    made_at: new Date(timeMs),
    actor_id: rare ? 'rare-actor' : `actor-${number % 3}`,
    action: rare ? 'rare.action' : number % 2 === 0 ? 'key.create' : 'key.revoke',
    target_id: rare ? 'rare-target' : `target-${number % 5}`,
  }
}

const console_ = await startConsole()
/** Fills tables, which takes longer than a request may. */
const slow = openPostgres(console_.databaseUrl, { queryTimeoutMs: 60_000 })
await createPartitions(slow.pool, 'audit_events', dayOf(FIRST_MS), dayOf(LAST_MS - 1))
const organization = {
  id: (await console_.openOrganization()).id,
  created_at: new Date(FIRST_MS),
}
await setCreation(slow.pool, organization.id, organization.created_at)
const events = Array.from({ length: EVENTS }, (_, number) => made(number)).toReversed()
await addAuditEvents(slow.pool, organization.id, events)
const other = await console_.openOrganization()
await addAuditEvents(
  slow.pool,
  other.id,
  Array.from({ length: EVENTS }, (_, number) => made(number)),
)
endWithFile(slow, console_)

/** The last month. */
const FROM = new Date(month(-1)).toISOString()

const FILTERS: readonly AuditFilter[] = [
  {},
  { actor: 'rare-actor' },
  { actor: 'actor-1' },
  { action: 'rare.action' },
  { target: 'rare-target' },
  { fromMs: month(-20, 4), toMs: month(-16, 8) },
  { action: 'rare.action', fromMs: month(-20, 4), toMs: month(-16, 8) },
]

function matching({
  actor,
  action,
  withoutAction,
  target,
  fromMs = 0,
  toMs = Infinity,
}: AuditFilter): Event[] {
  return events.filter(
    (event) =>
      (actor === undefined || event.actor_id === actor) &&
      (action === undefined || event.action === action) &&
      event.action !== withoutAction &&
      (target === undefined || event.target_id === target) &&
      event.made_at.getTime() >= fromMs &&
      event.made_at.getTime() < toMs,
  )
}

async function listAll(filter: AuditFilter, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let last: string | undefined; ;) {
    const page = { limit, ...(last !== undefined && { after: last }) }
    const found = await findAuditEvents(slow.database, organization, filter, page)
    ids.push(...found.events.map(({ id }) => id))
    if (found.next === null) return ids
    last = found.next
  }
}

test('pages list every matching event of two years once, newest first', async () => {
  for (const filter of [
    ...FILTERS.slice(1),
    { actor: 'rare-actor', target: 'rare-target' },
    { target: 'target-1', withoutAction: 'key.create' },
    { action: 'key.create', target: 'target-1', fromMs: month(-2) },
  ]) {
    const expected = matching(filter).map(({ id }) => id)
    assert.deepEqual(await listAll(filter, 97), expected, JSON.stringify(filter))
  }
})

test('a page reads one row more than it returns, over 24 monthly partitions', async () => {
  for (const filter of FILTERS) {
    let returned = 0
    const read = await rowsRead(slow, /^audit_events/, async (database) => {
      const page = await findAuditEvents(database, organization, filter, { limit: 50 })
      returned = page.events.length
    })
    assert.equal(returned, Math.min(50, matching(filter).length), JSON.stringify(filter))
    assert.ok(read <= 51, `${JSON.stringify(filter)}: ${read} rows`)
  }
})

test('several filters read at most a thousand rows, and say where to go on', async () => {
  for (const filter of [
    { actor: 'actor-1', target: 'target-1', action: 'none' },
    { actorKind: 'support' },
  ]) {
    const read = await rowsRead(slow, /^audit_events/, async (database) => {
      const page = await findAuditEvents(database, organization, filter, { limit: 50 })
      assert.deepEqual([page.events.length, page.next === null], [0, false])
    })
    assert.ok(read <= 1_000, `${read} rows`)
  }
})

async function openViewer() {
  const { id } = organization
  const { as } = await console_.openPerson({ organizationId: id, role: 'viewer' })
  return { as, path: `/organizations/${id}/audit-events` }
}

test('the log is filtered and paged by its route', async () => {
  const { as, path } = await openViewer()
  const first = await ask(console_.root, 'GET', `${path}?action=rare.action&limit=2`, { as })
  assert.equal(first.status, 200, first.text)
  const next = await ask(
    console_.root,
    'GET',
    `${path}?action=rare.action&limit=1&after=${first.body.next}`,
    { as },
  )
  assert.deepEqual(
    [...first.body.data, ...next.body.data].map(({ id }) => id),
    matching({ action: 'rare.action' })
      .slice(0, 3)
      .map(({ id }) => id),
  )
  for (const query of ['after=x', 'from=yesterday', 'unknown=1', 'limit=101'])
    assert.equal((await ask(console_.root, 'GET', `${path}?${query}`, { as })).status, 400, query)
})

test('members may not read the log', async () => {
  const { as } = await console_.openPerson({ organizationId: organization.id, role: 'member' })
  for (const path of ['', '/export']) {
    const url = `/organizations/${organization.id}/audit-events${path}`
    assert.equal((await ask(console_.root, 'GET', url, { as })).status, 403)
  }
})

test('an export has every event once, and its own, as JSON lines and as CSV', async () => {
  const { as, path } = await openViewer()
  const get = (query: string) => fetch(`${console_.root}${path}/export${query}`, { headers: as })
  const json = await get(`?from=${FROM}`)
  assert.equal(json.headers.get('content-type'), 'application/jsonl; charset=utf-8')
  const lines = (await json.text()).trimEnd().split('\n')
  const [own, ...others] = lines.map((line) => JSON.parse(line) as Event)
  assert.equal(own?.action, 'audit.export')
  const expected = matching({ fromMs: month(-1) }).map(({ id }) => id)
  assert.ok(expected.length > 900)
  assert.deepEqual(
    others.map(({ id }) => id),
    expected,
  )
  const csv = await get(`?format=csv&from=${FROM}`)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  const [head, ...rows] = (await csv.text()).trimEnd().split('\r\n')
  assert.match(head!, /^id,made_at,actor_kind,/)
  assert.deepEqual(
    rows.slice(1).map((row) => row.slice(0, 36)),
    [own.id, ...expected],
  )
})

test('nobody empties the audit log, neither as a whole nor one partition', async () => {
  const { pool } = console_.postgres
  const { rows } = await pool.query<{ name: string }>(
    `select relid::regclass::text as name from pg_partition_tree('audit_events')`,
  )
  assert.ok(rows.length > 2)
  for (const { name } of rows)
    await assert.rejects(pool.query(`truncate ${name}`), /append-only/, name)
})

test('names that a spreadsheet would run are neutralised in the CSV', async () => {
  const { id } = await console_.openOrganization()
  const { as } = await console_.openPerson({ organizationId: id, role: 'owner' })
  const name = '=HYPERLINK("http://evil.example/","a")'
  const keys = `/organizations/${id}/keys`
  assert.equal((await ask(console_.root, 'POST', keys, { as, body: { name } })).status, 201)
  const url = `${console_.root}/organizations/${id}/audit-events/export?format=csv`
  const csv = await (await fetch(url, { headers: as })).text()
  assert.ok(csv.includes(`"'=HYPERLINK(""http://evil.example/"",""a"")"`), csv)
  assert.doesNotMatch(csv, /(^|,)"?[=+@]/m)
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { Check } from 'typebox/schema'
import { createCommands } from '../../test/harness/processes/command.ts'
import { usageRecord } from '../../test/harness/seed/usage-records.ts'
import { UsageEvent } from '../contract/usage-event.ts'
import { DAY_MS, HOUR_MS } from '../lib/time.ts'
import { uuidV7 } from '../lib/uuid.ts'
import { postUsage } from '../store/ledger/usage-records.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { findProject } from '../store/tenants/projects.ts'
import { partitionOf } from '../store/valkey/keys.ts'
import type { UsageRecord } from '../tenancy/usage-record.ts'

/** More than one page of an export. */
const MANY = 1700
const MAY_MS = Date.parse('2026-05-01T00:00:00Z')

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })
const acme = String((await commands.answer('organization', 'create', 'acme'))['id'])
const project = (await findProject(postgres.database, acme, 'default')).id
const records = [
  used({ model: 'a/b', cost: 1_250_000 }, MAY_MS),
  used({ model: 'a/b', cost: 1 }, MAY_MS + HOUR_MS),
  used({ model: 'c/d', cost: 0, outcome: 'lost', basis: 'none' }, MAY_MS + DAY_MS),
  used({ organizationId: randomUUID(), model: 'a/b' }, MAY_MS + 1),
  used({ model: 'a/b' }, MAY_MS - 1),
  ...Array.from({ length: MANY }, (_, at) => used({ model: 'e/f' }, MAY_MS + 5 * DAY_MS + at)),
]
const ids = records.map(({ record }) => record.id)
for (let at = 0; at < records.length; at += 500)
  await postUsage(postgres.pool, records.slice(at, at + 500))

endWithFile(postgres, commands)

function used(more: Partial<UsageRecord>, atMs: number) {
  const record = usageRecord({
    id: uuidV7(atMs),
    organizationId: acme,
    projectId: project,
    credentialId: project,
    model: 'a/b',
    engine: 'one',
    price: null,
    outcome: 'completed',
    basis: 'engine',
    promptTokens: 100,
    cachedTokens: 10,
    completionTokens: 5,
    reasoningTokens: 2,
    cost: 7,
    queuedMs: null,
    firstTokenMs: 1,
    durationMs: 2,
    settledAtMs: atMs + 1500,
    ...more,
  })
  return { record, partition: partitionOf(record.organizationId) }
}

async function show(...args: string[]): Promise<unknown[][]> {
  const rows = await commands.answer('usage', 'show', 'acme', ...args)
  return (rows as unknown as Record<string, unknown>[]).map((row) => Object.values(row))
}

test('usage is grouped by model, project, day and hour', async () => {
  const days = ['--from', '2026-05-01', '--to', '2026-05-03']
  const both = [200, 20, 10, 4]
  const one = [100, 10, 5, 2]
  assert.deepEqual(await show(...days), [['total', 3, 300, 30, 15, 6, '1.250001', 'USD']])
  assert.deepEqual(await show(...days, '--by', 'model'), [
    ['a/b', 2, ...both, '1.250001', 'USD'],
    ['c/d', 1, ...one, '0.00', 'USD'],
  ])
  assert.deepEqual(await show(...days, '--by', 'project'), [
    [project, 'default', 3, 300, 30, 15, 6, '1.250001', 'USD'],
  ])
  assert.deepEqual(await show(...days, '--by', 'key'), [
    [project, null, 3, 300, 30, 15, 6, '1.250001', 'USD'],
  ])
  assert.deepEqual(await show(...days, '--by', 'day'), [
    ['2026-05-01', 2, ...both, '1.250001', 'USD'],
    ['2026-05-02', 1, ...one, '0.00', 'USD'],
  ])
  const hours = ['--from', '2026-05-01T01:00Z', '--to', '2026-05-02T00:00Z']
  const second = ['2026-05-01T01:00Z', 1, ...one, '0.000001', 'USD']
  assert.deepEqual(await show(...hours, '--by', 'hour'), [second])
  assert.deepEqual(await show(...hours, '--by', 'day'), [['2026-05-01', ...second.slice(1)]])
  assert.deepEqual(await show('--from', '2025-01-01', '--to', '2025-01-02'), [])
})

async function exported(...args: string[]): Promise<UsageEvent[]> {
  const { code, stdout, stderr } = await commands.run(['usage', 'export', ...args])
  assert.deepEqual([code, stderr], [0, ''])
  const lines = stdout.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as UsageEvent)
}

test('every usage record of a period is exported as one valid event, in order', async () => {
  const events = await exported('--from', '2026-05-01', '--to', '2026-06-01')
  for (const event of events) assert.ok(Check(UsageEvent, event), JSON.stringify(event))
  const expected = ids.toSorted().slice(1)
  assert.deepEqual(
    events.map(({ id }) => id),
    expected,
  )
  assert.deepEqual(events[0], {
    specversion: '1.0',
    id: ids[0],
    source: 'headrace',
    type: 'headrace.usage.v1',
    subject: acme,
    time: '2026-05-01T00:00:00.000Z',
    datacontenttype: 'application/json',
    data: {
      organization_id: acme,
      project_id: project,
      credential_id: project,
      model: 'a/b',
      prompt_tokens: 100,
      cached_tokens: 10,
      completion_tokens: 5,
      reasoning_tokens: 2,
      cost: '1.25',
      cost_micro: 1_250_000,
      currency: 'USD',
      outcome: 'completed',
      basis: 'engine',
      settled_at: '2026-05-01T00:00:01.500Z',
    },
  })
})

test('an export can be limited to one organization and to hours', async () => {
  const own = ['--organization', 'acme', '--source', 'https://api.example.com']
  const hour = ['--from', '2026-05-01T00:00Z', '--to', '2026-05-01T00:59:59.999Z']
  const events = await exported(...hour, ...own)
  assert.deepEqual(
    events.map(({ id, source }) => [id, source]),
    [[ids[0], 'https://api.example.com']],
  )
})

test('an invalid period is rejected', async () => {
  const rejected: [string[], RegExp][] = [
    [['show', 'acme', '--from', '2026-02-30', '--to', '2026-03-01'], /Must be a day/],
    [['show', 'acme', '--from', '2026-05-02', '--to', '2026-05-02'], /--to must be after --from/],
    [['show', 'acme', '--from', '2026-05-01T00:30Z', '--to', '2026-05-02'], /whole hours/],
    [['export', '--from', 'yesterday', '--to', '2026-05-02'], /Must be a day/],
    [['export', '--from', '2026-05-01'], /--to <time>.* not specified/],
  ]
  for (const [args, message] of rejected) {
    const { code, stderr } = await commands.run(['usage', ...args])
    assert.equal(code, 1)
    assert.match(stderr, message)
  }
})

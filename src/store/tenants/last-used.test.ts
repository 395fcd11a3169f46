import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { untilSomeoneWaits } from '../../../test/harness/servers/lock-wait.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { createApiKey } from '../../tenancy/api-key.ts'
import { findApiKey, storeApiKey } from './api-keys.ts'
import { openLastUsed } from './last-used.ts'
import { createOrganization } from './organizations.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'
import { findProject } from './projects.ts'

const NOON_MS = Date.parse('2026-05-01T12:00:00Z')

const database = await createDatabase()
const postgres = openPostgres(database.url)
const organization = await createOrganization(postgres.database, {
  slug: 'acme',
  name: 'Acme',
  plan: 'free',
  retention: 'zero',
  ownerAccountId: null,
})
const projectId = (await findProject(postgres.database, organization.id, 'default')).id

endWithFile(postgres, database)

async function newKey(): Promise<string> {
  const key = await storeApiKey(postgres.database, createApiKey('headrace'), {
    projectId,
    createdByAccountId: null,
    name: 'key',
    expiresAt: null,
  })
  return key.id
}

async function lastUse(id: string): Promise<string | undefined> {
  return (await findApiKey(postgres.database, id)).last_used_at?.toISOString()
}

/** The real pool; records how many rows each statement was given. */
function countingPool() {
  const batches: number[] = []
  const query = ((text: string, values: [string[], Date[]]) => {
    batches.push(values[0].length)
    return postgres.pool.query(text, values)
  }) as Postgres['pool']['query']
  return { batches, query }
}

test('a use is stored to the minute, and never replaced by an earlier one', async () => {
  const id = await newKey()
  await using lastUsed = openLastUsed(postgres.pool)
  lastUsed.note(id, NOON_MS + 59_999)
  await lastUsed.flush()
  assert.equal(await lastUse(id), '2026-05-01T12:00:00.000Z')
  lastUsed.note(id, NOON_MS - MINUTE_MS)
  await lastUsed.flush()
  assert.equal(await lastUse(id), '2026-05-01T12:00:00.000Z')
  lastUsed.note(id, NOON_MS + MINUTE_MS)
  await lastUsed.flush()
  assert.equal(await lastUse(id), '2026-05-01T12:01:00.000Z')
})

test('a key is written once a minute, however often it is used', async () => {
  const id = await newKey()
  const pool = countingPool()
  await using lastUsed = openLastUsed(pool)
  for (let flush = 0; flush < 3; flush += 1) {
    for (let use = 0; use < 1000; use += 1) lastUsed.note(id, NOON_MS + use)
    await lastUsed.flush()
  }
  assert.deepEqual(pool.batches, [1])
})

test('many keys are written in batches, and unknown ones are ignored', async () => {
  const known = await newKey()
  const pool = countingPool()
  await using lastUsed = openLastUsed(pool)
  for (let count = 0; count < 2100; count += 1) lastUsed.note(uuidV7(), NOON_MS)
  lastUsed.note(known, NOON_MS)
  await lastUsed.flush()
  assert.deepEqual(pool.batches, [1000, 1000, 101])
  assert.equal(await lastUse(known), '2026-05-01T12:00:00.000Z')
})

test('beyond the bound new keys are ignored, and pending ones still updated', async () => {
  const [first, second] = [await newKey(), await newKey()]
  await using lastUsed = openLastUsed(postgres.pool, { pendingMax: 1 })
  lastUsed.note(first, NOON_MS)
  lastUsed.note(second, NOON_MS)
  lastUsed.note(first, NOON_MS + MINUTE_MS)
  await lastUsed.flush()
  assert.equal(await lastUse(first), '2026-05-01T12:01:00.000Z')
  assert.equal(await lastUse(second), undefined)
})

test('an unavailable database is reported, and only the pending uses are lost', async () => {
  await using unreachable = openPostgres('postgres://postgres@127.0.0.1:1/postgres')
  const errors: unknown[] = []
  await using lastUsed = openLastUsed(unreachable.pool, { onError: (error) => errors.push(error) })
  lastUsed.note(uuidV7(), NOON_MS)
  await lastUsed.flush()
  await lastUsed.flush()
  assert.equal(errors.length, 1)
})

test('closing writes the pending uses', async () => {
  const id = await newKey()
  {
    await using lastUsed = openLastUsed(postgres.pool)
    lastUsed.note(id, NOON_MS)
  }
  assert.equal(await lastUse(id), '2026-05-01T12:00:00.000Z')
})

test('keys are locked in the order of their ids, so that processes cannot deadlock', async () => {
  const ids = (await Promise.all(Array.from({ length: 12 }, newKey))).toSorted()
  await using lastUsed = openLastUsed(postgres.pool)
  for (const id of ids.toReversed()) lastUsed.note(id, NOON_MS)
  const client = await postgres.pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from api_keys where id = $1 for update', [ids[0]])
    const flushed = lastUsed.flush()
    await untilSomeoneWaits(postgres)
    // It waits for the first key and has locked none of the others.
    const free = 'select 1 from api_keys where id = any($1) for update nowait'
    await postgres.pool.query(free, [ids.slice(1)])
    await client.query('commit')
    await flushed
  } finally {
    client.release(true)
  }
  for (const id of ids) assert.equal(await lastUse(id), '2026-05-01T12:00:00.000Z')
})

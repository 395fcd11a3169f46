import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { setImmediate as turn } from 'node:timers/promises'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { startPostgres } from '../../../test/harness/servers/postgres-server.ts'
import { Content } from '../../lib/content.ts'
import type { Log } from '../../lib/log.ts'
import { SealBroken } from '../../lib/seal.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { ContentRecord } from '../../tenancy/content-record.ts'
import {
  createContentKeys,
  destroyContentKeys,
  masterIdOf,
  readMasterKeys,
  unwrapKey,
} from './content-keys.ts'
import { openContentLog } from './content.ts'
import { countKeysByMaster, rewrapContentKeys } from './rewrap-keys.ts'
import { createOrganization } from '../tenants/organizations.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'
import { openSealed } from './sealed-content.ts'

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
endWithFile(postgres, database)

const newSecret = () => randomBytes(32).toString('base64url')
const secret = newSecret()
const masterKeys = readMasterKeys(secret)
const BYTES_MAX = 1_000_000

function createLog(): Log & { lines: string[] } {
  const lines: string[] = []
  const write = (_fields: object, message: string) => void lines.push(message)
  return { lines, debug: write, info: write, warn: write, error: write }
}

function openLog(on: Postgres = postgres, change: object = {}) {
  const options = { masterKeys, bytesMax: BYTES_MAX, log: createLog(), ...change }
  return openContentLog(on.pool, options)
}

async function newOrganization({ database: tables }: Postgres = postgres): Promise<string> {
  const slug = `test-${randomBytes(6).toString('hex')}`
  const settings = { plan: 'free', retention: 'standard', ownerAccountId: null } as const
  return (await createOrganization(tables, { slug, name: slug, ...settings })).id
}

function recordOf(organizationId: string, text: string): ContentRecord {
  const ids = { id: uuidV7(), organizationId, projectId: crypto.randomUUID() }
  const content = new Content(Buffer.from(text))
  return { ...ids, model: 'a/model', retention: 'standard', terms: null, content }
}

type Row = { id: string; sealed: Buffer; key_id: string; wrapped: Buffer | null; count: number }

async function rowsOf(organizationId: string, on: Postgres = postgres): Promise<Row[]> {
  const { rows } = await on.pool.query<Row>(
    `select content.id, content.sealed, content.key_id, content_keys.wrapped
     from retained_content as content left join content_keys on content_keys.id = content.key_id
     where content.organization_id = $1 order by content.id`,
    [organizationId],
  )
  return rows
}

async function textOf(row: Row, organizationId: string, master = masterKeys): Promise<string> {
  if (row.wrapped === null) throw new Error('the key is gone')
  const key = unwrapKey({ id: row.key_id, wrapped: row.wrapped }, organizationId, master)
  const stored = { id: row.id, organizationId, sealed: row.sealed }
  return (await openSealed(stored, { id: row.key_id, key })).reveal().toString()
}

describe('stored content', () => {
  test('is read back unchanged, and is never stored in plain text', async () => {
    const organizationId = await newOrganization()
    await using log = openLog()
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index} `.repeat(index))
    for (const text of texts) log.keep(recordOf(organizationId, text), 0)
    await log.flush()
    const rows = await rowsOf(organizationId)
    const read = await Promise.all(rows.map((row) => textOf(row, organizationId)))
    assert.deepEqual(read.toSorted(), texts.toSorted())
    assert.deepEqual(log.counts(), { stored: 200, dropped: 0, waitingBytes: 0 })
    assert.equal(new Set(rows.map((row) => row.key_id)).size, 1)
    for (const { sealed } of rows) assert.equal(sealed.includes('text'), false)
  })

  test('is stored once, however often it is passed in', async () => {
    const organizationId = await newOrganization()
    await using log = openLog()
    const record = recordOf(organizationId, 'once')
    for (let time = 0; time < 3; time += 1) {
      log.keep(record, 0)
      await log.flush()
    }
    assert.equal((await rowsOf(organizationId)).length, 1)
  })

  test('can be decrypted for its own organization and request only', async () => {
    const organizationId = await newOrganization()
    const other = await newOrganization()
    await using log = openLog()
    log.keep(recordOf(organizationId, 'one'), 0)
    log.keep(recordOf(organizationId, 'two'), 0)
    await log.flush()
    const [one, two] = await rowsOf(organizationId)
    assert.ok(one !== undefined && two !== undefined)
    await assert.rejects(textOf({ ...one, sealed: two.sealed }, organizationId), SealBroken)
    await assert.rejects(textOf(one, other), SealBroken)
  })
})

describe('keys', () => {
  test('with a different master key nothing is decrypted and nothing stored', async () => {
    const organizationId = await newOrganization()
    const another = readMasterKeys(newSecret())
    {
      await using log = openLog()
      log.keep(recordOf(organizationId, 'before'), 0)
    }
    const logger = createLog()
    await using log = openLog(postgres, { masterKeys: another, log: logger })
    log.keep(recordOf(organizationId, 'after'), 0)
    await log.flush()
    const rows = await rowsOf(organizationId)
    assert.equal(rows.length, 1)
    assert.deepEqual(log.counts(), { stored: 0, dropped: 1, waitingBytes: 0 })
    assert.match(logger.lines.join(), /wrapped with a key that is not configured/)
    await assert.rejects(textOf(rows[0]!, organizationId, another), SealBroken)
  })

  test('destroying one makes its content unreadable; later content gets a new one', async () => {
    const organizationId = await newOrganization()
    await using log = openLog()
    log.keep(recordOf(organizationId, 'before'), 0)
    await log.flush()
    const [saved] = await rowsOf(organizationId)
    assert.equal(await destroyContentKeys(postgres.database, organizationId), 1)
    // The log still has the old key in its cache, and must not store anything with it.
    log.keep(recordOf(organizationId, 'after'), 0)
    await log.flush()
    const [earlier, later] = await rowsOf(organizationId)
    assert.equal(earlier?.wrapped, null)
    assert.ok(saved !== undefined && later !== undefined)
    assert.equal(await textOf(later, organizationId), 'after')
    const newKey = { ...saved, key_id: later.key_id, wrapped: later.wrapped }
    await assert.rejects(textOf(newKey, organizationId), SealBroken)
  })

  test('rewrapped ones need the new master key; rewrapping again is safe', async () => {
    const own = await createDatabase()
    const fresh = openPostgres(own.url, { queryTimeoutMs: 30_000 })
    const organizationId = await newOrganization(fresh)
    {
      await using log = openLog(fresh)
      log.keep(recordOf(organizationId, 'kept'), 0)
    }
    const other = newSecret()
    const another = readMasterKeys(other)
    const rewrap = () => rewrapContentKeys(fresh.database, readMasterKeys(other, [secret]))
    assert.deepEqual(await rewrap(), { rewrapped: 1, already: 0, unreadable: 0 })
    assert.deepEqual(await rewrap(), { rewrapped: 0, already: 1, unreadable: 0 })
    const back = await rewrapContentKeys(fresh.database, masterKeys)
    assert.deepEqual(back, { rewrapped: 0, already: 0, unreadable: 1 })
    const counted = await countKeysByMaster(fresh.database)
    assert.deepEqual([...counted], [[another.current.id.toString('hex'), 1]])
    const [row] = await rowsOf(organizationId, fresh)
    assert.equal(await textOf(row!, organizationId, another), 'kept')
    await assert.rejects(textOf(row!, organizationId), SealBroken)
    await fresh[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
  })

  test('one of the first format, without an id, is readable and rewrapped', async () => {
    const own = await createDatabase()
    const fresh = openPostgres(own.url, { queryTimeoutMs: 30_000 })
    const organizationId = await newOrganization(fresh)
    {
      await using log = openLog(fresh)
      log.keep(recordOf(organizationId, 'kept'), 0)
    }
    const strip = 'update content_keys set wrapped = substring(wrapped from 9)'
    await fresh.pool.query(strip)
    const rotating = readMasterKeys(newSecret(), [newSecret(), secret])
    const [row] = await rowsOf(organizationId, fresh)
    assert.equal(masterIdOf(row!.wrapped!), undefined)
    assert.equal(await textOf(row!, organizationId, rotating), 'kept')
    const counts = await rewrapContentKeys(fresh.database, rotating)
    assert.deepEqual(counts, { rewrapped: 1, already: 0, unreadable: 0 })
    const [rewrapped] = await rowsOf(organizationId, fresh)
    const current = { ...rotating, accepted: [] }
    assert.equal(await textOf(rewrapped!, organizationId, current), 'kept')
    await fresh[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
  })

  test('a cached key expires, so that a destroyed one does not stay in use', async () => {
    const scope = {
      organizationId: await newOrganization(),
      retention: 'standard',
      day: '2026-01-01',
    } as const
    const keys = createContentKeys(postgres.pool, masterKeys, { cacheMs: 20 })
    const { id } = await keys.find(scope)
    assert.equal((await keys.find(scope)).id, id)
    await destroyContentKeys(postgres.database, scope.organizationId)
    const deadlineMs = performance.now() + 5_000
    while ((await keys.find(scope)).id === id) {
      assert.ok(performance.now() < deadlineMs, 'the destroyed key is still used')
      await turn()
    }
  })

  test('processes that start at the same time share one per organization and kind', async () => {
    const organizations = [await newOrganization(), await newOrganization()]
    const logs = Array.from({ length: 4 }, () => openLog())
    for (const log of logs) for (const id of organizations) log.keep(recordOf(id, 'at once'), 0)
    for (const log of logs) await log[Symbol.asyncDispose]()
    const found = await Promise.all(organizations.map((id) => rowsOf(id)))
    assert.deepEqual(
      found.map((rows) => [rows.length, new Set(rows.map((row) => row.key_id)).size]),
      [
        [4, 1],
        [4, 1],
      ],
    )
  })
})

describe('memory is bounded', () => {
  test('content beyond the bound is dropped, counted and logged', async () => {
    const organizationId = await newOrganization()
    const logger = createLog()
    await using log = openLog(postgres, { log: logger })
    for (let count = 0; count < 20; count += 1)
      log.keep(recordOf(organizationId, 'x'.repeat(100_000)), 0)
    assert.ok(log.counts().waitingBytes <= BYTES_MAX)
    await log.flush()
    const { stored, dropped, waitingBytes } = log.counts()
    assert.deepEqual([stored, dropped, waitingBytes], [9, 11, 0])
    assert.match(logger.lines.join(), /content dropped/)
  })

  test('claims of running requests count too', async () => {
    await using log = openLog()
    assert.equal(log.claim(BYTES_MAX), true)
    assert.equal(log.claim(1), false)
    log.drop(BYTES_MAX)
    assert.equal(log.claim(1), true)
    log.drop(1)
    assert.deepEqual(log.counts(), { stored: 0, dropped: 2, waitingBytes: 0 })
  })
})

describe('PostgreSQL unavailable', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let own: Postgres
  // Not while the suite is read: starting a server blocks this process, and other tests wait.
  before(async () => {
    server = await startPostgres()
    own = openPostgres(server.url)
  })
  after(async () => {
    await own[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('frozen: keeping does not wait, memory stays bounded, content is dropped', async () => {
    const organizationId = await newOrganization(own)
    await using log = openLog(own, { retryMs: [1] })
    server.freeze()
    const texts = Array.from({ length: 500 }, () => 'x'.repeat(10_000))
    const cpuBefore = process.cpuUsage()
    for (const text of texts) log.keep(recordOf(organizationId, text), 0)
    const { user, system } = process.cpuUsage(cpuBefore)
    assert.ok(user + system < 1_000_000, 'keeping took long')
    assert.ok(log.counts().waitingBytes <= BYTES_MAX)
    await log.flush()
    const { stored, dropped, waitingBytes } = log.counts()
    assert.deepEqual([stored, dropped, waitingBytes], [0, 500, 0])
    server.thaw()
  })

  test('restarted: content kept during the restart is stored afterwards', async () => {
    const organizationId = await newOrganization(own)
    await using log = openLog(own, { retryMs: Array.from({ length: 200 }, () => 50) })
    await server.stop()
    log.keep(recordOf(organizationId, 'meanwhile'), 0)
    await server.start()
    await log.flush()
    assert.deepEqual(log.counts(), { stored: 1, dropped: 0, waitingBytes: 0 })
    assert.equal((await rowsOf(organizationId, own)).length, 1)
  })
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import * as fc from 'fast-check'
import { Kysely, PostgresDialect } from 'kysely'
import { countRowsRead } from '../../../test/harness/servers/count-rows-read.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { join, openAccount, openKey, openOrganization } from '../../../test/harness/seed/tenants.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { DAY_MS } from '../../lib/time.ts'
import { timeOfUuid, uuidV7 } from '../../lib/uuid.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import type { Page } from '../postgres/page.ts'
import { inTransaction } from '../postgres/in-transaction.ts'
import { createPartitions, dayOf } from '../postgres/partitions.ts'
import { openPostgres } from '../postgres/postgres.ts'
import type { Tables } from '../postgres/tables.ts'
import { findRequest, listRequests, type RequestFilter } from './requests.ts'
import { postUsage } from './usage-records.ts'

const FIRST_MS = Date.UTC(2031, 4, 30)
const DAYS = 3
const RECORDS = 12_000
const RARE = 500
const MODELS = ['example/large', 'example/small']
const PROJECTS = [randomUUID(), randomUUID()]

/** The key that nobody owns and one model are rare; so are requests that failed. */
function made(number: number): UsageRecord {
  const rare = number % RARE === 7
  const at = number % 2
  const played = number % 7 === 3
  return usageRecord({
    id: uuidV7(FIRST_MS + Math.floor((number * DAYS * DAY_MS) / RECORDS)),
    organizationId: number % 3 === 0 ? randomUUID() : ORGANIZATION,
    projectId: PROJECTS[rare ? 1 : 0]!,
    accountId: rare ? null : ACCOUNTS[at]!,
    credentialId: rare ? KEYS[2]! : played ? ACCOUNTS[at]! : KEYS[at]!,
    credentialKind: played && !rare ? 'playground' : 'api_key',
    model: MODELS[rare ? 1 : 0]!,
    outcome: rare ? 'failed' : 'completed',
    price: number % 5 === 0 ? null : { input: 1, cachedInput: 2, output: 3 },
  })
}

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
const { database: store } = postgres
const organization = await openOrganization(store, 'free')
const ORGANIZATION = organization.id
/** Two members. */
const ACCOUNTS = [await openAccount(store), await openAccount(store)]
for (const accountId of ACCOUNTS) await join(store, ORGANIZATION, accountId)
const owners = [...ACCOUNTS.map((accountId) => ({ accountId })), {}]
/** A key of each, and one that nobody owns. */
const KEYS: string[] = []
for (const owner of owners) KEYS.push((await openKey(store, organization.projectId, owner)).id)
const days = [dayOf(FIRST_MS), dayOf(FIRST_MS + (DAYS - 1) * DAY_MS)] as const
await createPartitions(postgres.pool, 'usage_records', ...days)
const all = Array.from({ length: RECORDS }, (_, number) => made(number))
for (let at = 0; at < all.length; at += 1_000)
  await postUsage(postgres.pool, all.slice(at, at + 1_000).map(logged))
await postgres.pool.query('analyze')
/** Of the organization, newest first. */
const records = all.filter(({ organizationId }) => organizationId === ORGANIZATION).toReversed()

endWithFile(postgres, database)

function matches(record: UsageRecord, filter: RequestFilter): boolean {
  const { fromMs = 0, toMs = Infinity, ...equal } = filter
  const timeMs = timeOfUuid(record.id)
  const same = Object.entries(equal).every(
    ([name, value]) => value === undefined || record[name as keyof UsageRecord] === value,
  )
  return same && timeMs >= fromMs && timeMs < toMs
}

/** Mostly absent: with many filters at once nothing is left to compare. */
const optional = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const time = fc.integer({ min: FIRST_MS - DAY_MS, max: FIRST_MS + (DAYS + 1) * DAY_MS })

/** Numbers of things that exist once the tests run. */
const filters = fc.record({
  projectId: optional(fc.constantFrom(...PROJECTS)),
  credential: optional(fc.integer({ min: 0, max: 4 })),
  account: optional(fc.integer({ min: 0, max: 1 })),
  model: optional(fc.constantFrom(...MODELS)),
  outcome: optional(fc.constantFrom('completed', 'failed', 'lost')),
  fromMs: optional(time),
  toMs: optional(time),
})

test('pages list every matching request once, newest first, as it was recorded', async () => {
  const limits = fc.integer({ min: 7, max: 100 })
  const property = fc.asyncProperty(filters, limits, async (asked, limit) => {
    const { credential, account, ...others } = asked
    const given = {
      ...others,
      credentialId: credential === undefined ? undefined : [...KEYS, ...ACCOUNTS][credential],
      accountId: account === undefined ? undefined : ACCOUNTS[account],
    }
    const filter = given as RequestFilter
    const matching = records.filter((record) => matches(record, filter))
    const expected = matching.slice(0, 120)
    const listed: UsageRecord[] = []
    let page: Page | undefined = { limit }
    while (page !== undefined && listed.length <= expected.length) {
      const found = await listRequests(postgres.database, ORGANIZATION, filter, page)
      assert.ok(found.records.length <= limit)
      listed.push(...found.records)
      page = found.next === null ? undefined : { limit, after: found.next }
    }
    assert.deepEqual(listed.slice(0, expected.length), expected)
    if (page === undefined) assert.equal(listed.length, matching.length)
  })
  await fc.assert(property, { numRuns: 40 })
})

/** As the list sets them for its transaction. */
const SETTINGS = 'set local enable_bitmapscan = off; set local enable_sort = off'

/** Lists a page, and counts the rows that its statements read. */
async function countPage(filter: RequestFilter, limit: number) {
  const asked: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  const { pool } = postgres
  const recording = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  const { records: listed } = await listRequests(recording, ORGANIZATION, filter, { limit })
  const read = await inTransaction(pool, SETTINGS, async (client) => {
    let rows = 0
    const selects = asked.filter(({ sql }) => /from usage_/.test(sql))
    for (const { sql, parameters } of selects) rows += await countRowsRead(client, sql, parameters)
    return rows
  })
  return { listed: listed.length, read }
}

// The first row of each visited day's sums is read too.
test('a page reads a row more than it returns, and one of sums for each day', async () => {
  for (const filter of [
    {},
    { credentialId: KEYS[2]! },
    { accountId: ACCOUNTS[0]! },
    { accountId: ACCOUNTS[1]! },
    { outcome: 'failed' as const },
  ]) {
    const { listed, read } = await countPage(filter, 50)
    assert.ok(read <= listed + 1 + DAYS, `${JSON.stringify(filter)}: ${listed} of ${read}`)
  }
})

test('a filter without an index reads at most 1,000 rows, and says where to go on', async () => {
  const few = [
    { model: MODELS[1]! },
    { projectId: PROJECTS[1]!, model: MODELS[0]! },
    { credentialId: ACCOUNTS[0]! },
    { accountId: ACCOUNTS[1]!, outcome: 'failed' as const },
  ]
  for (const filter of few) {
    const { read } = await countPage(filter, 50)
    assert.ok(read <= 1_000 + DAYS, `${read} rows`)
  }
  // Most requests of the member were made with this key.
  const { listed: shown, read } = await countPage({ credentialId: KEYS[0]! }, 50)
  assert.ok(shown === 50 && read <= 2 * 51 + DAYS, `${shown} of ${read}`)
  const none = { projectId: PROJECTS[1]!, model: MODELS[0]! }
  const { records: listed, next } = await listRequests(postgres.database, ORGANIZATION, none, {
    limit: 50,
  })
  assert.equal(listed.length, 0)
  assert.notEqual(next, null)
})

test('a request is found by its id alone, and ids of any time are answered', async () => {
  assert.deepEqual(await findRequest(postgres.database, records[17]!.id), records[17])
  for (const id of [uuidV7(), randomUUID(), 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    assert.equal(await findRequest(postgres.database, id), undefined)
  const rows = await countRowsRead(
    postgres.pool,
    'select * from usage_records where opened_on = $1 and id = $2',
    [dayOf(timeOfUuid(records[17]!.id)), records[17]!.id],
  )
  assert.equal(rows, 1)
})

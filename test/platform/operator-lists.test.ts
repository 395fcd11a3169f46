import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Kysely } from 'kysely'
import { listManagementKeys } from '../../src/store/people/management-keys.ts'
import { listActiveMembers } from '../../src/store/people/members.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import type { Tables } from '../../src/store/postgres/tables.ts'
import { listKeyModels } from '../../src/store/tenants/key-models.ts'
import { countWaiting, searchAccounts } from '../../src/store/tenants/search-accounts.ts'
import {
  countOrganizations,
  searchOrganizations,
} from '../../src/store/tenants/search-organizations.ts'
import { createDatabase, type TestDatabase } from '../harness/database.ts'
import { fillLists } from '../harness/operator-rows.ts'
import { rowsRead } from '../harness/rows-read.ts'

// A page must cost the same with ten accounts and with a million.

let testDatabase: TestDatabase
let postgres: Postgres

const ROWS = 5_000
const PAGE = 11

before(async () => {
  testDatabase = await createDatabase()
  postgres = openPostgres(testDatabase.url, { queryTimeoutMs: 60_000 })
  await fillLists(postgres.database, ROWS)
})
after(async () => {
  await postgres[Symbol.asyncDispose]()
  await testDatabase[Symbol.asyncDispose]()
})

type List = (
  database: Kysely<Tables>,
  page: { readonly limit: number; readonly after?: string },
) => Promise<readonly { readonly id: string }[]>

const LISTS: Readonly<Record<string, { readonly table: RegExp; readonly list: List }>> = {
  'all accounts': {
    table: /^accounts/,
    list: (database, page) => searchAccounts(database, {}, page),
  },
  'waiting accounts': {
    table: /^accounts/,
    list: (database, page) => searchAccounts(database, { state: 'waiting' }, page),
  },
  'restricted accounts': {
    table: /^accounts/,
    list: (database, page) => searchAccounts(database, { state: 'restricted' }, page),
  },
  'accounts of support': {
    table: /^accounts/,
    list: (database, page) => searchAccounts(database, { platformRole: 'support' }, page),
  },
  'accounts of a prefix': {
    table: /^accounts/,
    list: (database, page) => searchAccounts(database, { emailPrefix: 'Person-00' }, page),
  },
  'all organizations': {
    table: /^organizations/,
    list: (database, page) => searchOrganizations(database, {}, page),
  },
  'organizations of a slug': {
    table: /^organizations/,
    list: (database, page) => searchOrganizations(database, { slugPrefix: 'slug-' }, page),
  },
  'organizations of a name that repeats': {
    table: /^organizations/,
    list: (database, page) => searchOrganizations(database, { namePrefix: 'same' }, page),
  },
  'keys of the platform': {
    table: /^management_keys/,
    list: (database, page) => listManagementKeys(database, null, page),
  },
}

for (const [name, { table, list }] of Object.entries(LISTS))
  test(`a page of ${name} reads no row that it does not show`, async () => {
    let last: string | undefined
    for (const lookups of [0, 1, 1]) {
      const page = { limit: PAGE, ...(last !== undefined && { after: last }) }
      const rows = await list(postgres.database, page)
      assert.equal(rows.length, PAGE)
      const read = await rowsRead(postgres, table, (database) => list(database, page))
      // A page that is not the first may look up where it begins.
      assert.ok(read <= PAGE + lookups, `${read} rows`)
      last = rows.at(-1)?.id
    }
  })

test('counts and members read at most as many rows as they may count', async () => {
  const organization = postgres.database.selectFrom('organizations').select('id').orderBy('slug')
  const { id: organizationId } = await organization.limit(1).executeTakeFirstOrThrow()
  const read = (table: RegExp, act: (database: Kysely<Tables>) => Promise<unknown>) =>
    rowsRead(postgres, table, act)
  assert.equal(await read(/^accounts/, countWaiting), 1_001)
  assert.equal(await read(/^organizations/, countOrganizations), 1_001)
  const keys = await read(/^api_keys/, (database) => listKeyModels(database, organizationId, 101))
  assert.equal(keys, 101)
  const page = { limit: PAGE, newestFirst: true }
  const members = await read(/^memberships/, (database) =>
    listActiveMembers(database, organizationId, page),
  )
  assert.equal(members, PAGE)
})

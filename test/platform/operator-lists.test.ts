import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { Kysely } from 'kysely'
import { listManagementKeys } from '../../src/store/people/management-keys.ts'
import { countActiveMembers, listActiveMembers } from '../../src/store/people/members.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import type { Tables } from '../../src/store/postgres/tables.ts'
import { countListed } from '../../src/store/tenants/list-api-keys.ts'
import { listKeyModels } from '../../src/store/tenants/key-models.ts'
import {
  countWaiting,
  findWithoutOrganization,
  searchAccounts,
} from '../../src/store/tenants/search-accounts.ts'
import {
  countOrganizations,
  searchOrganizations,
} from '../../src/store/tenants/search-organizations.ts'
import { MATCHES_MAX } from '../../src/store/tenants/search-term.ts'
import { createDatabase } from '../harness/servers/database.ts'
import { fillLists } from '../harness/seed/operator-rows.ts'
import { rowsRead } from '../harness/servers/rows-read.ts'

// A page must cost the same with ten accounts and with a million.

const ROWS = 5_000
const PAGE = 11

const testDatabase = await createDatabase()
// Small tables may be read as a whole, which would hide that an index is missing.
const url = new URL(testDatabase.url)
url.searchParams.set('options', '-c enable_seqscan=off')
const postgres = openPostgres(url.href, { queryTimeoutMs: 60_000 })
await fillLists(postgres.database, ROWS)
endWithFile(postgres, testDatabase)

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
  'all organizations': {
    table: /^organizations/,
    list: (database, page) => searchOrganizations(database, undefined, page),
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

const SEARCHES = {
  accounts: (database: Kysely<Tables>, term: string) =>
    searchAccounts(database, { term }, { limit: PAGE }),
  organizations: (database: Kysely<Tables>, term: string) =>
    searchOrganizations(database, term, { limit: PAGE }),
} as const

test('a search reads the rows that it finds, and of a frequent word a bounded number', async () => {
  for (const [table, rare, frequent, short] of [
    ['accounts', 'son-000042@ex', 'EXAMPLE', 'pe'],
    ['organizations', 'ug-4321', 'slug', 's'],
  ] as const) {
    const read = (term: string) =>
      rowsRead(postgres, new RegExp(`^${table}`), (database) => SEARCHES[table](database, term))
    assert.equal((await SEARCHES[table](postgres.database, rare)).length, 1)
    assert.ok((await read(rare)) <= 3, rare)
    for (const term of [frequent, short]) {
      assert.equal((await SEARCHES[table](postgres.database, term)).length, PAGE)
      const rows = await read(term)
      assert.ok(rows <= 3 * MATCHES_MAX + PAGE, `${term}: ${rows} rows`)
    }
  }
})

test('a sorted page reads a bounded number of organizations and of members', async () => {
  const page = { limit: PAGE, order: { by: 'name', descending: false } } as const
  const first = await searchOrganizations(postgres.database, undefined, page)
  const names = first.map(({ name }) => name.toLowerCase())
  assert.deepEqual(names, names.toSorted())
  const read = await rowsRead(postgres, /^organizations/, (database) =>
    searchOrganizations(database, undefined, { ...page, after: first.at(-1)?.id ?? '' }),
  )
  // Each of the newest twice, for the sort and for the page; all are fewer than the bound here.
  assert.ok(read <= 2 * ROWS + 3 * PAGE, `${read} rows`)
  const organization = postgres.database.selectFrom('organizations').select('id').orderBy('slug')
  const { id: organizationId } = await organization.limit(1).executeTakeFirstOrThrow()
  const sessions = await rowsRead(postgres, /^sessions/, (database) =>
    listActiveMembers(database, organizationId, page),
  )
  assert.ok(sessions <= PAGE, `the sessions of ${sessions} members`)
})

test('counts and members read at most as many rows as they may count', async () => {
  const organization = postgres.database.selectFrom('organizations').select('id').orderBy('slug')
  const { id: organizationId } = await organization.limit(1).executeTakeFirstOrThrow()
  const read = (table: RegExp, act: (database: Kysely<Tables>) => Promise<unknown>) =>
    rowsRead(postgres, table, act)
  assert.equal(await read(/^accounts/, countWaiting), 1_001)
  assert.equal(await read(/^organizations/, (database) => countOrganizations(database)), 1_001)
  const listed = (database: Kysely<Tables>) => countListed(database, { organizationId }, 301)
  assert.equal(await read(/^api_keys/, listed), 301)
  const counted = (database: Kysely<Tables>) => countActiveMembers(database, organizationId, 7)
  assert.equal(await read(/^memberships/, counted), 7)
  assert.equal(await read(/^accounts/, findWithoutOrganization), 1_000)
  assert.ok((await read(/^memberships/, findWithoutOrganization)) <= 1_000)
  const keys = await read(/^api_keys/, (database) => listKeyModels(database, organizationId, 101))
  assert.equal(keys, 101)
  const page = { limit: PAGE, newestFirst: true }
  const members = await read(/^memberships/, (database) =>
    listActiveMembers(database, organizationId, page),
  )
  assert.equal(members, PAGE)
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createDatabase, urlForProcess } from '../../test/harness/servers/database.ts'
import { Content } from '../lib/content.ts'
import type { Log } from '../lib/log.ts'
import { uuidV7 } from '../lib/uuid.ts'
import { readMasterKeys } from '../store/content/content-keys.ts'
import { openContentLog } from '../store/content/content.ts'
import { destroyContentKeys } from '../store/content/content-keys.ts'
import { listRetainedDays } from '../store/content/content-export.ts'
import { createAccount } from '../store/tenants/accounts.ts'
import { changeOrganization, createOrganization } from '../store/tenants/organizations.ts'
import { addDays, dayOf, createPartitions } from '../store/postgres/partitions.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import type { KeptRetention } from '../tenancy/content-record.ts'
import { purgeContent } from './purge-content.ts'

const TODAY = '2026-03-31'
const NOW_MS = Date.parse(`${TODAY}T12:00:00Z`)
const DAYS = { standard: 30, contributor: 60 }

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
/** With the rights of the worker. */
const own = openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: 30_000 })
endWithFile(own, postgres, database)

const quiet = () => undefined
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const { id: acceptedByAccountId } = await createAccount(postgres.database, {
  email: 'owner@example.com',
  state: 'active',
  registered: true,
})

async function newContributor(): Promise<string> {
  const slug = `test-${randomBytes(6).toString('hex')}`
  const settings = { plan: 'free', retention: 'standard', ownerAccountId: null } as const
  const { id } = await createOrganization(postgres.database, { slug, name: slug, ...settings })
  const terms = { version: '1', acceptedByAccountId }
  await changeOrganization(postgres.database, id, { retention: 'contributor', terms })
  return id
}

/** Stores one record of each retention on each of these days before today. */
async function keepDays(organizationId: string, daysBefore: readonly number[]): Promise<void> {
  const masterKeys = readMasterKeys(randomBytes(32).toString('base64url'))
  await using contentLog = openContentLog(postgres.pool, { masterKeys, bytesMax: 1e6, log })
  const terms = { version: '1', acceptedAt: new Date(0), acceptedBy: acceptedByAccountId }
  for (const before of daysBefore)
    for (const retention of ['standard', 'contributor'] as const) {
      const id = uuidV7(NOW_MS - before * 86_400_000)
      const ids = { id, organizationId, projectId: crypto.randomUUID(), model: 'a/model' }
      const content = new Content(Buffer.from('kept'))
      contentLog.keep({ ...ids, retention, terms, content }, 0)
    }
}

async function daysLeft(organizationId: string, retention: KeptRetention): Promise<string[]> {
  const days = await listRetainedDays(postgres.database, organizationId)
  const left = days.filter((day) => day.retention === retention)
  return left.map(({ day, readable }) => `${day}${readable ? '' : ' unreadable'}`)
}

async function purge(): Promise<void> {
  await purgeContent(own, DAYS, log, () => NOW_MS).run(new AbortController().signal)
}

test('content and its keys are deleted by day when their retention ends', async () => {
  for (const table of ['retained_standard', 'retained_contributor'] as const)
    await createPartitions(postgres.pool, table, addDays(TODAY, -29), TODAY)
  const organizationId = await newContributor()
  const before = [0, 29, 30, 31, 59, 60, 61, 100]
  await keepDays(organizationId, before)
  const day = (count: number) => dayOf(NOW_MS - count * 86_400_000)
  assert.equal((await daysLeft(organizationId, 'standard')).length, before.length)
  await purge()
  assert.deepEqual(await daysLeft(organizationId, 'standard'), [30, 29, 0].map(day))
  assert.deepEqual(await daysLeft(organizationId, 'contributor'), [60, 59, 31, 30, 29, 0].map(day))
  // Only the keys of the remaining content exist.
  assert.equal(await destroyContentKeys(postgres.database, organizationId), 9)
})

test('contributions of a former contributor expire as under standard', async () => {
  const [stays, leaves] = [await newContributor(), await newContributor()]
  for (const id of [stays, leaves]) await keepDays(id, [10, 40])
  await changeOrganization(postgres.database, leaves, { retention: 'zero' })
  await purge()
  const [newer, older] = [10, 40].map((count) => dayOf(NOW_MS - count * 86_400_000))
  assert.deepEqual(await daysLeft(stays, 'contributor'), [older, newer])
  assert.deepEqual(await daysLeft(leaves, 'contributor'), [`${older} unreadable`, newer])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { untilSomeoneWaits } from '../../../test/harness/servers/lock-wait.ts'
import { openAccount, openKey, openOrganization, join } from '../../../test/harness/seed/tenants.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { utcMonth } from '../../lib/time.ts'
import { createApiKey, hashApiKey, type ApiKey } from '../../tenancy/api-key.ts'
import { postUsage } from '../ledger/usage-records.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { changeApiKey, findApiKey, revokeApiKey, storeApiKey } from './api-keys.ts'
import { findByKeyHash } from './identities.ts'
import { addMember, changeMember } from './memberships.ts'
import { OVERLAP_MS_MAX, rotateApiKey } from './rotate-api-key.ts'

const HOUR_MS = 3_600_000
const SETTINGS = { models: ['a', 'b'], requestsPerMinute: 60, spendingLimit: 1_000_000 }

const testDatabase = await createDatabase()
const postgres = openPostgres(testDatabase.url)

endWithFile(postgres, testDatabase)

async function open() {
  const { database } = postgres
  const { id: organizationId, projectId } = await openOrganization(database, 'default')
  const accountId = await openAccount(database)
  await join(database, organizationId, accountId)
  const key = createApiKey('headrace')
  const owner = { projectId, createdByAccountId: accountId, name: 'deploy' }
  const stored = await storeApiKey(database, key, { ...owner, expiresAt: null, ...SETTINGS })
  return { database, organizationId, projectId, accountId, key, stored }
}

async function limitsOf(key: ApiKey) {
  const found = await findByKeyHash(postgres.pool, hashApiKey(key))
  assert.ok(found?.credential.kind === 'api_key')
  return found.credential
}

test('a rotated key has the settings of the old one, which ends after the overlap', async () => {
  const { database, stored, key } = await open()
  const text = createApiKey('headrace')
  const beforeMs = Date.now()
  const { value, raised } = await rotateApiKey(database, stored, text, { overlapMs: HOUR_MS })
  assert.equal(raised.length, 1)
  for (const name of ['project_id', 'created_by', 'name', 'models'] as const)
    assert.deepEqual(value[name], stored[name], name)
  const old = await findApiKey(database, stored.id)
  assert.equal(old.replaced_by, value.id)
  const endsMs = old.expires_at?.getTime() ?? 0
  assert.ok(endsMs >= beforeMs + HOUR_MS && endsMs <= Date.now() + HOUR_MS)
  const [one, other] = [await limitsOf(key), await limitsOf(text)]
  assert.deepEqual(one.models, new Set(SETTINGS.models))
  assert.deepEqual(other.models, one.models)
  assert.equal(one.limits?.expiresAtMs, endsMs)
  assert.deepEqual({ ...other.limits, expiresAtMs: endsMs }, one.limits)
  assert.equal(one.limits.id, stored.id)
})

test('without an overlap the old key ends at once, and a short life stays short', async () => {
  const { database, stored } = await open()
  const soon = new Date(Date.now() + HOUR_MS)
  await changeApiKey(database, stored, { expiresAt: soon })
  const first = await rotateApiKey(database, stored, createApiKey('headrace'), {
    overlapMs: OVERLAP_MS_MAX,
  })
  assert.deepEqual((await findApiKey(database, stored.id)).expires_at, soon)
  assert.deepEqual(first.value.expires_at, soon)
  const changed = { overlapMs: 0, expiresAt: null }
  const second = await rotateApiKey(database, first.value, createApiKey('headrace'), changed)
  const ended = await findApiKey(database, first.value.id)
  assert.ok(ended.revoked_at !== null && ended.revoke_reason === 'replaced')
  assert.deepEqual([second.value.expires_at, second.value.limits_id], [null, stored.id])
})

test('a key is rotated only once, while it works and its owner is a member', async () => {
  const { database, stored, organizationId, accountId } = await open()
  const rotate = (overlapMs = HOUR_MS) =>
    rotateApiKey(database, stored, createApiKey('headrace'), { overlapMs })
  await assert.rejects(rotate(-1), /0 hours to 7 days/)
  await assert.rejects(rotate(OVERLAP_MS_MAX + 1), /0 hours to 7 days/)
  await changeMember(database, { organizationId, accountId }, { state: 'removed' })
  await assert.rejects(rotate(), /not an active member/)
  await addMember(database, { organizationId, accountId }, 'member')
  const { value } = await rotate()
  await assert.rejects(rotate(), /already been replaced/)
  await revokeApiKey(database, value)
  const again = rotateApiKey(database, value, createApiKey('headrace'), { overlapMs: 0 })
  await assert.rejects(again, /revoked or expired/)
})

test('a change of limits is one of all keys that replace each other', async () => {
  const { database, stored, key } = await open()
  const [second, third] = [createApiKey('headrace'), createApiKey('headrace')]
  const { value } = await rotateApiKey(database, stored, second, { overlapMs: HOUR_MS })
  await rotateApiKey(database, value, third, { overlapMs: HOUR_MS })
  const changes = { name: 'other', models: null, requestsPerMinute: null, spendingLimit: 5 }
  const changed = await changeApiKey(database, value, changes)
  assert.equal(changed.raised.length, 1)
  assert.deepEqual([changed.value.name, changed.value.models], ['other', null])
  for (const each of [key, second, third]) {
    const { limits } = await limitsOf(each)
    assert.deepEqual([limits?.requestsPerMinute, limits?.spendingLimit], [null, 5])
  }
  assert.deepEqual((await findApiKey(database, stored.id)).models, SETTINGS.models)
})

test('keys that replace each other are locked in the order of their ids', async () => {
  const { database, stored } = await open()
  const { value } = await rotateApiKey(database, stored, createApiKey('headrace'), {
    overlapMs: HOUR_MS,
  })
  const client = await postgres.pool.connect()
  try {
    await client.query('begin')
    const lock = 'select 1 from api_keys where id = $1 for update'
    await client.query(lock, [stored.id])
    const changing = changeApiKey(database, value, { name: 'other', spendingLimit: 5 })
    await untilSomeoneWaits(postgres)
    // It waits for the first key and has not locked the second.
    await client.query(`${lock} nowait`, [value.id])
    await client.query('commit')
    assert.equal((await changing).value.spending_limit, 5)
  } finally {
    client.release(true)
  }
})

test('what keys that replace each other have spent this month is read together', async () => {
  const { database, stored, key, organizationId, projectId } = await open()
  const second = createApiKey('headrace')
  const { value } = await rotateApiKey(database, stored, second, { overlapMs: HOUR_MS })
  const other = await openKey(database, projectId, { spendingLimit: 1 })
  const ids = { organizationId, projectId }
  const costs = [11, 22, 44, 88]
  const lastMonthMs = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth()) - 1
  const records = [stored.id, value.id, other.id, stored.id].map((credentialId, at) =>
    usageRecord({
      ...ids,
      credentialId,
      cost: costs[at]!,
      ...(at === 3 ? { settledAtMs: lastMonthMs } : {}),
    }),
  )
  await postUsage(postgres.pool, records.map(logged))
  for (const each of [key, second]) {
    const { limits } = await limitsOf(each)
    assert.deepEqual([limits?.spent, limits?.month], [33, utcMonth(Date.now())])
  }
})

test('a revocation notes who and why, and a second one changes neither', async () => {
  const { database, stored, accountId } = await open()
  const reason = 'found in a public repository'
  const { value } = await revokeApiKey(database, stored, { by: accountId, reason })
  assert.deepEqual([value.revoked_by, value.revoke_reason], [accountId, reason])
  const again = await revokeApiKey(database, stored, { reason: 'again' })
  assert.deepEqual([again.value, again.raised.length], [value, 1])
})

test('limits that cannot be counted are refused', async () => {
  const { database, stored } = await open()
  for (const changes of [{ models: [] }, { requestsPerMinute: -1 }, { spendingLimit: -1 }])
    await assert.rejects(changeApiKey(database, stored, changes), { name: 'ChangeRefused' })
})

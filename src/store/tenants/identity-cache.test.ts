import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { startService } from '../../../test/harness/processes/service.ts'
import { parseApiKey } from '../../tenancy/api-key.ts'
import type { Credential } from '../../tenancy/credential.ts'
import { AccountsUnavailable } from '../../tenancy/identity.ts'
import { createIdentityCache } from './identity-cache.ts'

const service = await startService()

after(() => service[Symbol.asyncDispose]())

async function newCredential(): Promise<Credential> {
  const { key } = await service.createCaller()
  const parsed = parseApiKey(key, service.config.api.key_prefix)
  assert.ok(parsed)
  return { kind: 'api_key', key: parsed }
}

function unknownCredential(): Credential {
  const [id, organizationId] = [crypto.randomUUID(), crypto.randomUUID()]
  const [projectId, accountId] = [crypto.randomUUID(), crypto.randomUUID()]
  const claims = { id, organizationId, projectId, accountId, expiresAt: new Date() }
  return { kind: 'playground', claims }
}

/** Callers that the cache has read at the time 0 of its clock. */
async function cacheCallers(count: number) {
  const watched = watchedPool()
  const clock = { nowMs: 0 }
  const cache = createIdentityCache(watched.pool, () => clock.nowMs)
  const credentials = await Promise.all(Array.from({ length: count }, newCredential))
  for (const credential of credentials) await cache.find(credential, false)
  assert.equal(watched.queries, count)
  return { watched, clock, cache, credentials }
}

/** Waits until no query is running. */
async function untilIdle(watched: { readonly running: number }): Promise<void> {
  do await new Promise(setImmediate)
  while (watched.running > 0)
}

const MINUTE_MS = 60_000

/** The real pool; counts the queries, and can delay their results. */
function watchedPool(max = 10) {
  const { pool } = service.postgres
  const gate = Promise.withResolvers<void>()
  gate.resolve()
  const watched = { queries: 0, running: 0, runningMax: 0, gate: gate.promise, pool }
  const query = async (config: { name: string; text: string; values: unknown[] }) => {
    watched.queries += 1
    watched.running += 1
    watched.runningMax = Math.max(watched.runningMax, watched.running)
    try {
      const result = await pool.query(config)
      await watched.gate
      return result
    } finally {
      watched.running -= 1
    }
  }
  watched.pool = { query, options: { max } } as unknown as Pool
  return watched
}

test('a cached caller costs no query, unless the cache is bypassed', async () => {
  const watched = watchedPool()
  const cache = createIdentityCache(watched.pool)
  const credential = await newCredential()
  const first = await cache.find(credential, false)
  const second = await cache.find(credential, false)
  assert.deepEqual([first.fresh, second.fresh, watched.queries], [true, false, 1])
  assert.deepEqual(second.identity, first.identity)
  const third = await cache.find(credential, true)
  assert.deepEqual([third.fresh, watched.queries], [true, 2])
})

test('the identity is not fresh for a call that joins a running query', async () => {
  const watched = watchedPool()
  const held = Promise.withResolvers<void>()
  watched.gate = held.promise
  const cache = createIdentityCache(watched.pool)
  const credential = await newCredential()
  const finds = [cache.find(credential, false), cache.find(credential, false)]
  held.resolve()
  const found = await Promise.all(finds)
  assert.deepEqual(
    found.map(({ fresh }) => fresh),
    [true, false],
  )
  assert.equal(watched.queries, 1)
})

test('an unknown credential is not cached', async () => {
  const watched = watchedPool()
  const cache = createIdentityCache(watched.pool)
  const credential = await newCredential()
  const unknown = unknownCredential()
  await cache.find(credential, false)
  for (const queries of [2, 3]) {
    const { identity } = await cache.find(unknown, false)
    assert.deepEqual([identity, watched.queries], [undefined, queries])
  }
})

test('a caller is read at most once in 15 minutes, however many requests it makes', async () => {
  const { watched, clock, cache, credentials } = await cacheCallers(1)
  const [credential] = credentials
  assert.ok(credential)
  const askAll = () => Promise.all(Array.from({ length: 100 }, () => cache.find(credential, false)))
  for (; clock.nowMs < 15 * MINUTE_MS; clock.nowMs += MINUTE_MS / 2) await askAll()
  assert.equal(watched.queries, 1)
  clock.nowMs = 22.5 * MINUTE_MS
  await askAll()
  await untilIdle(watched)
  await askAll()
  assert.equal(watched.queries, 2)
})

test('a change without a new version is found by the refresh', async () => {
  const { watched, clock, cache, credentials } = await cacheCallers(1)
  const [credential] = credentials
  assert.ok(credential)
  const { identity } = await cache.find(credential, false)
  const { pool } = service.postgres
  const project = identity?.project.id
  await pool.query('update projects set archived_at = now() where id = $1', [project])
  clock.nowMs = 22.5 * MINUTE_MS
  await cache.find(credential, false)
  await untilIdle(watched)
  const refreshed = await cache.find(credential, false)
  assert.deepEqual([refreshed.identity?.project.archived, refreshed.fresh], [true, false])
})

test('after a loss in Valkey callers are refreshed within a minute of use', async () => {
  const { watched, clock, cache, credentials } = await cacheCallers(2)
  cache.refreshSoon()
  clock.nowMs = MINUTE_MS
  for (const credential of credentials) await cache.find(credential, false)
  await untilIdle(watched)
  assert.equal(watched.queries, 4)
})

test('callers that were read together are not refreshed together', async () => {
  const { watched, clock, cache, credentials } = await cacheCallers(60)
  clock.nowMs = 18.75 * MINUTE_MS
  for (const credential of credentials) {
    await cache.find(credential, false)
    await untilIdle(watched)
  }
  const refreshed = watched.queries - 60
  assert.ok(refreshed > 6 && refreshed < 54, `${refreshed} of 60 at half of the jitter`)
})

test('refreshes leave connections to callers, and a failed one is repeated later', async () => {
  const { watched, clock, cache, credentials } = await cacheCallers(20)
  const held = Promise.withResolvers<void>()
  held.promise.catch(() => undefined)
  watched.gate = held.promise
  watched.runningMax = 0
  clock.nowMs = 23 * MINUTE_MS
  const found = await Promise.all(credentials.map((each) => cache.find(each, false)))
  assert.ok(found.every(({ identity, fresh }) => identity !== undefined && !fresh))
  assert.equal(watched.runningMax, 2)
  held.reject(new Error('PostgreSQL is unavailable'))
  await untilIdle(watched)
  await new Promise(setImmediate)
  const queries = watched.queries
  const [failed] = credentials
  assert.ok(failed)
  await cache.find(failed, false)
  assert.equal(watched.queries, queries)
  clock.nowMs += MINUTE_MS
  await cache.find(failed, false)
  assert.equal(watched.queries, queries + 1)
})

test('concurrent requests with one unknown credential share a query', async () => {
  const watched = watchedPool()
  const cache = createIdentityCache(watched.pool)
  const unknown = unknownCredential()
  await Promise.all(Array.from({ length: 100 }, () => cache.find(unknown, false)))
  assert.equal(watched.queries, 1)
})

test('a process without a cache reads its callers together, and refuses none', async () => {
  const watched = watchedPool()
  const cache = createIdentityCache(watched.pool)
  const known = await Promise.all(Array.from({ length: 3 }, newCredential))
  const unknown = Array.from({ length: 102 }, unknownCredential)
  const asked = [...known, ...unknown].map((each) => cache.find(each, false))
  const found = await Promise.all(asked)
  assert.ok(found.every(({ fresh }) => fresh))
  const ids = found.flatMap(({ identity }) => identity?.credential.id ?? [])
  assert.equal(new Set(ids).size, 3)
  assert.deepEqual([watched.queries, watched.runningMax], [6, 5], 'five single ones, then 100')
})

for (const [connections, first, again] of [
  [2, 1, 1],
  [4, 2, 1],
  [20, 10, 6],
] as const)
  test(`reads use their share of ${connections} connections`, async () => {
    const watched = watchedPool(connections)
    const cache = createIdentityCache(watched.pool)
    const credentials = await Promise.all(Array.from({ length: 30 }, newCredential))
    const mostOf = async (bypassCache: boolean) => {
      watched.runningMax = 0
      await Promise.all(credentials.map((each) => cache.find(each, bypassCache)))
      return watched.runningMax
    }
    assert.deepEqual([await mostOf(false), await mostOf(true)], [first, again])
  })

test('unknown credentials do not keep known callers from being read', async () => {
  const { watched, cache, credentials } = await cacheCallers(1)
  const [known] = credentials
  assert.ok(known)
  const held = Promise.withResolvers<void>()
  watched.gate = held.promise
  const asked = Array.from({ length: 11_000 }, () => cache.find(unknownCredential(), false))
  const results = Promise.allSettled(asked)
  await new Promise(setImmediate)
  assert.equal(watched.running, 5)
  watched.gate = Promise.resolve()
  assert.ok((await cache.find(known, true)).identity !== undefined)
  held.resolve()
  const rejected = (await results).flatMap((each) => (each.status === 'rejected' ? [each] : []))
  // Those beyond the limits at once; on a slow machine also some that waited.
  assert.ok(rejected.length >= 11_000 - 5 - 10_000)
  assert.ok(rejected.every(({ reason }) => reason instanceof AccountsUnavailable))
})

test('reads past the cache are bounded, and those of one key that wait are one query', async () => {
  const { watched, cache, credentials } = await cacheCallers(4)
  const held = Promise.withResolvers<void>()
  watched.gate = held.promise
  watched.runningMax = 0
  const asked = Array.from({ length: 400 }, (_, at) => cache.find(credentials[at % 4]!, true))
  await new Promise(setImmediate)
  held.resolve()
  assert.ok((await Promise.all(asked)).every(({ fresh }) => fresh))
  assert.deepEqual([watched.queries - 4, watched.runningMax], [4, 3])
})

test('a caller that is not cached gets AccountsUnavailable without PostgreSQL', async () => {
  const unreachable = new Pool({ connectionString: 'postgres://127.0.0.1:9/none' })
  const cache = createIdentityCache(unreachable)
  await assert.rejects(cache.find(await newCredential(), false), AccountsUnavailable)
  await unreachable.end()
})

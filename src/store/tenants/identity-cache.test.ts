import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Pool } from 'pg'
import { startService, type Service } from '../../../test/harness/service.ts'
import { parseApiKey } from '../../tenancy/api-key.ts'
import type { Credential } from '../../tenancy/credential.ts'
import { AccountsUnavailable } from '../../tenancy/identity.ts'
import { createIdentityCache } from './identity-cache.ts'

let service: Service

before(async () => {
  service = await startService()
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

async function newCredential(): Promise<Credential> {
  const { key } = await service.createCaller()
  const parsed = parseApiKey(key, service.config.api.key_prefix)
  assert.ok(parsed)
  return { kind: 'api_key', key: parsed }
}

/** The real pool; counts the queries, and can delay their results. */
function watchedPool() {
  const { pool } = service.postgres
  const gate = Promise.withResolvers<void>()
  gate.resolve()
  const watched = { queries: 0, gate: gate.promise, pool }
  const query = async (config: { name: string; text: string; values: unknown[] }) => {
    watched.queries += 1
    const result = await pool.query(config)
    await watched.gate
    return result
  }
  watched.pool = { query } as unknown as Pool
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
  const unknown: Credential = {
    kind: 'playground',
    claims: {
      id: crypto.randomUUID(),
      organizationId: crypto.randomUUID(),
      projectId: crypto.randomUUID(),
      accountId: crypto.randomUUID(),
      expiresAt: new Date(),
    },
  }
  await cache.find(credential, false)
  for (const queries of [2, 3]) {
    const { identity } = await cache.find(unknown, false)
    assert.deepEqual([identity, watched.queries], [undefined, queries])
  }
})

test('a caller that is not cached gets AccountsUnavailable without PostgreSQL', async () => {
  const unreachable = new Pool({ connectionString: 'postgres://127.0.0.1:9/none' })
  const cache = createIdentityCache(unreachable)
  await assert.rejects(cache.find(await newCredential(), false), AccountsUnavailable)
  await unreachable.end()
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { Refusal } from '../../tenancy/refusal.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'
import { findRefusal, isEntryId, listRefusals } from './read-refusals.ts'
import { KEEP_MS, KEPT_MAX, openRefusals } from './refusals.ts'

/** Trimming drops whole nodes of a stream. */
const NODE_ENTRIES = 100

const server = await startValkey()
const valkey = await connectValkey([server.url])

endWithFile(valkey, server)

function refusal(organizationId: string, change: Partial<Refusal> = {}): Refusal {
  return {
    id: uuidV7(),
    organizationId,
    projectId: randomUUID(),
    credentialId: randomUUID(),
    credentialKind: 'api_key',
    accountId: null,
    status: 429,
    code: 'rate_limit_exceeded',
    param: null,
    model: null,
    limits: ['requestsPerMinute'],
    retryAfterMs: 1_500,
    ...change,
  }
}

test('refusals are listed newest first in pages, with filters, and found by id', async () => {
  const organizationId = randomUUID()
  const log = openRefusals(valkey)
  const accountId = randomUUID()
  const noted = Array.from({ length: 25 }, (_, number) =>
    refusal(organizationId, {
      ...(number % 5 === 0 && { accountId }),
      ...(number % 4 === 0 && { status: 402 }),
    }),
  )
  for (const each of noted) log.note(each)
  await log.flush()
  const listed: Refusal[] = []
  for (let last: string | undefined; ;) {
    const page = last === undefined ? { limit: 10 } : { limit: 10, after: last }
    const { refusals, next } = await listRefusals(valkey, organizationId, {}, page)
    listed.push(...refusals)
    if (next === null) break
    assert.ok(isEntryId(next))
    last = next
  }
  assert.deepEqual(listed, noted.toReversed())
  const own = await listRefusals(valkey, organizationId, { accountId }, { limit: 50 })
  assert.equal(own.refusals.length, 5)
  const paid = await listRefusals(valkey, organizationId, { status: 402 }, { limit: 50 })
  assert.deepEqual(paid.refusals, noted.filter(({ status }) => status === 402).toReversed())
  assert.deepEqual(await findRefusal(valkey, organizationId, noted[3]!.id), noted[3])
  assert.equal(await findRefusal(valkey, randomUUID(), noted[3]!.id), undefined)
})

test('above fifty between two flushes refusals of an organization are only counted', async () => {
  const [flooded, quiet] = [randomUUID(), randomUUID()]
  const log = openRefusals(valkey)
  for (let sent = 0; sent < 130; sent += 1) log.note(refusal(flooded))
  log.note(refusal(quiet))
  await log.flush()
  const { refusals, more } = await listRefusals(valkey, flooded, {}, { limit: 100 })
  assert.deepEqual([refusals.length, more], [50, 80])
  const others = await listRefusals(valkey, quiet, {}, { limit: 100 })
  assert.deepEqual([others.refusals.length, others.more], [1, 0])
})

test('an organization keeps about a thousand refusals, and none for more than a week', async () => {
  const organizationId = randomUUID()
  const { refused } = organizationKeys(organizationId)
  const weekAgo = Date.now() - KEEP_MS - 1_000
  for (let at = 0; at < NODE_ENTRIES * 2; at += 1)
    await valkey.call('XADD', [refused, `${weekAgo}-${at}`, 'refusal', '{}'])
  const log = openRefusals(valkey)
  for (let flush = 0; flush < 30; flush += 1) {
    for (let sent = 0; sent < 50; sent += 1) log.note(refusal(organizationId))
    await log.flush()
  }
  const length = (await valkey.call('XLEN', [refused])) as number
  assert.ok(length >= KEPT_MAX && length <= KEPT_MAX + NODE_ENTRIES, `${length} entries`)
  const expiry = (await valkey.call('PTTL', [refused])) as number
  assert.ok(expiry > KEEP_MS - 60_000 && expiry <= KEEP_MS)
  const old = randomUUID()
  const oldKey = organizationKeys(old).refused
  await valkey.call('XADD', [oldKey, `${weekAgo}-1`, 'refusal', JSON.stringify(refusal(old))])
  assert.deepEqual((await listRefusals(valkey, old, {}, { limit: 10 })).refusals, [])
})

test('noting never waits, is bounded, and loses only refusals while Valkey is away', async () => {
  const calls: unknown[] = []
  const stuck = Promise.withResolvers<never>()
  const away: Pick<Valkey, 'call'> = {
    call(...args) {
      calls.push(args)
      return stuck.promise
    },
  }
  const log = openRefusals(away, { organizationsMax: 3 })
  const organizations = Array.from({ length: 5 }, () => randomUUID())
  for (const organizationId of organizations) log.note(refusal(organizationId))
  const flushed = log.flush()
  for (let sent = 0; sent < 1_000; sent += 1) log.note(refusal(organizations[0]!))
  const again = log.flush()
  await new Promise(setImmediate)
  assert.equal(calls.length, 3)
  stuck.reject(new ValkeyUnavailable('away'))
  await Promise.all([flushed, again])
  await log[Symbol.asyncDispose]()
})

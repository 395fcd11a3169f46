import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { organizationKeys, partitionOf } from '../valkey/keys.ts'
import { createKeepEntries, listKept, trimKept } from './kept-entries.ts'
import { readBacklog, readOldestEntries } from './usage-stream.ts'

const record = usageRecord()
const { organizationId } = record
const partition = partitionOf(organizationId)
const { usage, posted } = organizationKeys(organizationId)

const server = await startValkey()
const valkey = await connectValkey([server.url])
endWithFile(valkey, server)
afterEach(async () => {
  await valkey.call('CONFIG', ['SET', 'maxmemory', 0])
  await valkey.call('FLUSHALL', [])
})

async function settle(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await valkey.call('XADD', [
      usage,
      '*',
      'record',
      JSON.stringify(usageRecord({ organizationId })),
    ])
}

async function readKept(countMax = 1_000) {
  const pages: number[] = []
  const entries = []
  for await (const page of listKept(valkey, partition, countMax)) {
    pages.push(page.length)
    entries.push(...page)
  }
  return { pages, entries }
}

test('kept entries leave the backlog, are read in bounded pages, and are kept once', async () => {
  await settle(1_203)
  const entries = await readOldestEntries(valkey, [partition], 1_200)
  const keep = createKeepEntries(valkey, HOUR_MS)
  assert.equal(await keep(entries), true)
  assert.equal((await readBacklog(valkey)).records, 3)
  // The reply was lost and the call is repeated.
  assert.equal(await keep(entries), true)
  const kept = await readKept(500)
  assert.deepEqual(kept.pages, [500, 500, 200])
  assert.deepEqual(
    kept.entries.map(({ text }) => text),
    entries.map(({ text }) => text),
  )
})

test('kept entries are trimmed after their time, and expire where usage stops', async () => {
  for (const postedMs of [1_000, 2_000, 3_000])
    for (let each = 0; each < 30; each += 1)
      await valkey.call('XADD', [posted, `${postedMs}-${each + 1}`, 'record', 'x'.repeat(2_000)])
  assert.equal(await trimKept(valkey, 2_000, 10), true)
  assert.equal(await valkey.call('XLEN', [posted]), 80)
  while (await trimKept(valkey, 2_000, 10));
  const left = (await valkey.call('XLEN', [posted])) as number
  assert.ok(left >= 60 && left < 65, `${left} are left`)
  await settle(1)
  await createKeepEntries(valkey, HOUR_MS)(await readOldestEntries(valkey, [partition], 1))
  const expiresMs = (await valkey.call('PTTL', [posted])) as number
  assert.ok(expiresMs > HOUR_MS - 10_000 && expiresMs <= HOUR_MS)
})

test('when the memory is full, posted entries are deleted and the kept ones too', async () => {
  await settle(20)
  const keep = createKeepEntries(valkey, HOUR_MS)
  assert.equal(await keep(await readOldestEntries(valkey, [partition], 10)), true)
  await valkey.call('CONFIG', ['SET', 'maxmemory', 1])
  assert.equal(await keep(await readOldestEntries(valkey, [partition], 10)), false)
  assert.equal((await readBacklog(valkey)).records, 0)
  assert.deepEqual((await readKept()).entries, [])
})

test('a kept record takes about 0.7 KB, as its setting says', async () => {
  await settle(2_000)
  const keep = createKeepEntries(valkey, HOUR_MS)
  await keep(await readOldestEntries(valkey, [partition], 2_000))
  const bytes = (await valkey.call('MEMORY', ['USAGE', posted, 'SAMPLES', 0])) as number
  const each = bytes / 2_000
  assert.ok(each > 600 && each < 800, `${each} bytes`)
})

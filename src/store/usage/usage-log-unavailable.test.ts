import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepLines } from '../../../test/harness/lines.ts'
import { endOf, openedRecord, readUsage, waitFor } from '../../../test/harness/usage-records.ts'
import {
  connectValkey,
  startLossyWay,
  startValkey,
  startValkeyCluster,
} from '../../../test/harness/valkey.ts'
import { openUsageLog } from './usage-log.ts'
import { organizationKeys } from '../valkey/keys.ts'

const HOLD_MS = 200

function portOf(url: string): number {
  return Number(new URL(url).port)
}

test('while Valkey is away a client gets its end in time, and use is written later', async () => {
  await using first = await startValkey()
  await using valkey = await connectValkey([first.url])
  const options = { log: keepLines().log, holdMs: HOLD_MS, flushMs: HOLD_MS }
  await using usageLog = openUsageLog(valkey, options)
  await first.kill()
  const opened = openedRecord()
  const startedMs = performance.now()
  await usageLog.settle(endOf(opened), opened)
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs >= HOLD_MS - 5, `took ${tookMs} ms`)
  await using second = await startValkey({ port: portOf(first.url) })
  await using direct = await connectValkey([second.url])
  await waitFor(async () => (await readUsage(direct, opened)).length === 1)
})

test('a settlement whose answer was lost is sent again and counts once', async () => {
  await using server = await startValkey()
  await using way = await startLossyWay(server.url)
  await using direct = await connectValkey([server.url])
  await using valkey = await connectValkey([way.url])
  await using usageLog = openUsageLog(valkey, { log: keepLines().log, holdMs: 30_000 })
  const known = openedRecord()
  await usageLog.settle(endOf(known), known)
  const opened = openedRecord()
  way.loseAnswerTo(opened.id)
  await usageLog.settle(endOf(opened), opened)
  assert.equal((await readUsage(direct, opened)).length, 1)
})

test('what a server was told shortly before it was lost is told to its successor', async () => {
  await using first = await startValkey()
  await using valkey = await connectValkey([first.url])
  await using usageLog = openUsageLog(valkey, { log: keepLines().log, flushMs: HOLD_MS })
  const opened = openedRecord()
  await usageLog.settle(endOf(opened), opened)
  await first.kill()
  // It has nothing of what the first one had, as a replica that was behind.
  await using second = await startValkey({ port: portOf(first.url) })
  await using direct = await connectValkey([second.url])
  await waitFor(async () => (await readUsage(direct, opened)).length === 1)
})

test('beyond what may be kept the log has the last word, with ids and counts', async () => {
  await using server = await startValkey()
  const valkey = await connectValkey([server.url])
  await server.kill()
  const { log, lines } = keepLines()
  const options = { log, holdMs: HOLD_MS, keptMax: 2, flushMs: HOLD_MS }
  const usageLog = openUsageLog(valkey, options)
  const all = Array.from({ length: 3 }, () => openedRecord())
  await Promise.all(all.map((opened) => usageLog.settle(endOf(opened), opened)))
  const lost = () => lines.filter(({ message }) => message === 'usage was lost')
  assert.deepEqual(
    lost().map(({ fields }) => fields.requestId),
    [all[2]?.id],
  )
  assert.equal(lost()[0]?.fields.promptTokens, 10)
  assert.equal(lost()[0]?.fields.completionTokens, 5)
  await usageLog[Symbol.asyncDispose]()
  const ids = new Set(lost().map(({ fields }) => fields.requestId))
  assert.deepEqual(ids, new Set(all.map(({ id }) => id)), 'the end of the process loses none')
  await valkey[Symbol.asyncDispose]()
})

test('the end of the process waits for what is open, and writes all of it', async () => {
  await using server = await startValkey()
  await using direct = await connectValkey([server.url])
  await using valkey = await connectValkey([server.url])
  const usageLog = openUsageLog(valkey, { log: keepLines().log })
  const all = Array.from({ length: 500 }, () => openedRecord({ instance: usageLog.instance }))
  for (const opened of all) usageLog.follow(opened)
  const closed = usageLog[Symbol.asyncDispose]()
  setTimeout(() => {
    for (const opened of all) void usageLog.settle(endOf(opened), opened)
  }, 50)
  await closed
  for (const opened of all) assert.equal((await readUsage(direct, opened)).length, 1)
  const leases = all.map(({ organizationId }) => organizationKeys(organizationId).leases)
  assert.equal(await direct.call('EXISTS', leases), 0)
})

test('a request that is released before its admission arrives is released again', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await using usageLog = openUsageLog(valkey, { log: keepLines().log })
  const opened = openedRecord()
  const { open } = organizationKeys(opened.organizationId)
  usageLog.release(opened)
  // The release goes out at the end of the turn, and before what comes later.
  await new Promise(setImmediate)
  await valkey.call('HSET', [open, opened.id, JSON.stringify(opened)])
  await waitFor(async () => (await valkey.call('HLEN', [open])) === 0)
})

test('acknowledged: a settlement waits until a replica has it', async () => {
  await using primary = await startValkey()
  const port = portOf(primary.url)
  await using replica = await startValkey({ args: ['--replicaof', '127.0.0.1', `${port}`] })
  await using valkey = await connectValkey([primary.url])
  await using direct = await connectValkey([replica.url])
  const acknowledgement = { replicas: 1, aof: false, urls: [primary.url] }
  const options = { log: keepLines().log, holdMs: 60_000, acknowledgement }
  await using usageLog = openUsageLog(valkey, options)
  const all = Array.from({ length: 300 }, () => openedRecord())
  await Promise.all(
    all.map(async (opened) => {
      await usageLog.settle(endOf(opened), opened)
      assert.equal((await readUsage(direct, opened)).length, 1)
    }),
  )
})

test('acknowledged: a settlement waits for the disk, and nobody else for it', async () => {
  await using server = await startValkey({ args: ['--appendonly', 'yes'] })
  await using valkey = await connectValkey([server.url])
  const acknowledgement = { replicas: 0, aof: true, urls: [server.url] }
  const options = { log: keepLines().log, holdMs: 60_000, acknowledgement }
  await using usageLog = openUsageLog(valkey, options)
  const opened = openedRecord()
  const order: string[] = []
  const settling = usageLog.settle(endOf(opened), opened).then(() => order.push('settled'))
  // The acknowledgement waits for the disk's next second; this connection is not held up by it.
  await valkey.call('PING', [])
  order.push('answered')
  await settling
  assert.deepEqual(order, ['answered', 'settled'])
  assert.equal((await readUsage(valkey, opened)).length, 1)
})

test('acknowledged: without a replica the client waits for the hold and not longer', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  const acknowledgement = { replicas: 1, aof: false, urls: [server.url] }
  const options = { log: keepLines().log, holdMs: HOLD_MS, flushMs: HOLD_MS, acknowledgement }
  await using usageLog = openUsageLog(valkey, options)
  const opened = openedRecord()
  await usageLog.settle(endOf(opened), opened)
  await waitFor(async () => (await readUsage(valkey, opened)).length === 1)
})

test('acknowledged: in a cluster the node that holds the record is asked', async () => {
  await using cluster = await startValkeyCluster({ replicas: 1 })
  await using valkey = await connectValkey(cluster.urls)
  const acknowledgement = { replicas: 1, aof: false, urls: cluster.urls }
  const options = { log: keepLines().log, holdMs: 60_000, acknowledgement }
  await using usageLog = openUsageLog(valkey, options)
  const all = Array.from({ length: 100 }, () => openedRecord())
  await Promise.all(all.map((opened) => usageLog.settle(endOf(opened), opened)))
  for (const opened of all) assert.equal((await readUsage(valkey, opened)).length, 1)
})

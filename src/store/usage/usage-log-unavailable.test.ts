import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepLines } from '../../../test/harness/lines.ts'
import { waitUntil } from '../../../test/harness/figures/measure.ts'
import { endOf, openedRecord, readUsage } from '../../../test/harness/seed/usage-records.ts'
import {
  connectValkey,
  startLossyWay,
  startValkey,
  startValkeyCluster,
} from '../../../test/harness/servers/valkey.ts'
import { openUsageLog } from './usage-log.ts'
import { organizationKeys } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

const HOLD_MS = 200
const TIMEOUT_MS = 10_000

function portOf(url: string): number {
  return Number(new URL(url).port)
}

/** Without the delay, in which a primary waits for further replicas. */
const PRIMARY = ['--repl-diskless-sync-delay', '0']

async function waitForReplica(primary: Valkey): Promise<void> {
  const isOnline = async () => {
    const info = (await primary.call('INFO', ['replication'])) as string
    return info.includes('state=online')
  }
  await waitUntil('a replica', isOnline, TIMEOUT_MS)
}

test('without Valkey a client gets its response in time, and usage is written later', async () => {
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
  const isWritten = async () => (await readUsage(direct, opened)).length === 1
  await waitUntil('the usage record', isWritten, TIMEOUT_MS)
})

test('a settlement whose reply was lost is sent again and counts once', async () => {
  await using server = await startValkey()
  await using way = await startLossyWay(server.url)
  await using direct = await connectValkey([server.url])
  await using valkey = await connectValkey([way.url])
  await using usageLog = openUsageLog(valkey, { log: keepLines().log, holdMs: 30_000 })
  // Loads the script, so that the lost reply is not the NOSCRIPT error.
  const first = openedRecord()
  await usageLog.settle(endOf(first), first)
  const opened = openedRecord()
  way.loseAnswerTo(opened.id)
  await usageLog.settle(endOf(opened), opened)
  assert.equal((await readUsage(direct, opened)).length, 1)
})

test('recent settlements of a server that was lost are sent to its successor', async () => {
  await using first = await startValkey()
  await using valkey = await connectValkey([first.url])
  await using usageLog = openUsageLog(valkey, { log: keepLines().log, flushMs: HOLD_MS })
  const opened = openedRecord()
  await usageLog.settle(endOf(opened), opened)
  await first.kill()
  // It has none of the first one's data, like a replica that lagged behind.
  await using second = await startValkey({ port: portOf(first.url) })
  await using direct = await connectValkey([second.url])
  const isWritten = async () => (await readUsage(direct, opened)).length === 1
  await waitUntil('the usage record', isWritten, TIMEOUT_MS)
})

test('a usage record beyond the buffer is dropped and logged with ids and counts', async () => {
  await using server = await startValkey()
  const valkey = await connectValkey([server.url])
  await server.kill()
  const { log, lines } = keepLines()
  const options = { log, holdMs: HOLD_MS, bufferedMax: 2, flushMs: HOLD_MS }
  const usageLog = openUsageLog(valkey, options)
  const all = Array.from({ length: 3 }, () => openedRecord())
  await Promise.all(all.map((opened) => usageLog.settle(endOf(opened), opened)))
  const dropped = () => lines.filter(({ message }) => message === 'usage record dropped')
  assert.deepEqual(
    dropped().map(({ fields }) => fields.requestId),
    [all[2]?.id],
  )
  assert.equal(dropped()[0]?.fields.promptTokens, 10)
  assert.equal(dropped()[0]?.fields.completionTokens, 5)
  await usageLog[Symbol.asyncDispose]()
  const ids = new Set(dropped().map(({ fields }) => fields.requestId))
  assert.deepEqual(ids, new Set(all.map(({ id }) => id)), 'a shutdown logs all of them')
  await valkey[Symbol.asyncDispose]()
})

test('a shutdown waits for open requests, and writes all of their usage', async () => {
  await using server = await startValkey()
  await using direct = await connectValkey([server.url])
  await using valkey = await connectValkey([server.url])
  const usageLog = openUsageLog(valkey, { log: keepLines().log })
  const all = Array.from({ length: 500 }, () => openedRecord({ instance: usageLog.instance }))
  const requests = all.map((opened) => ({ opened, tracked: usageLog.track(opened) }))
  const closed = usageLog[Symbol.asyncDispose]()
  setTimeout(() => {
    for (const { opened, tracked } of requests) {
      tracked.end()
      void usageLog.settle(endOf(opened), opened)
    }
  }, 50)
  await closed
  for (const opened of all) assert.equal((await readUsage(direct, opened)).length, 1)
  const leases = all.map(({ organizationId }) => organizationKeys(organizationId).leases)
  assert.equal(await direct.call('EXISTS', leases), 0)
})

test('a release that arrives before the admission is repeated', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await using usageLog = openUsageLog(valkey, { log: keepLines().log })
  const opened = openedRecord()
  const { open } = organizationKeys(opened.organizationId)
  usageLog.release(opened)
  // The release is sent at the end of the turn, before the admission below.
  await new Promise(setImmediate)
  await valkey.call('HSET', [open, opened.id, JSON.stringify(opened)])
  const isClosed = async () => (await valkey.call('HLEN', [open])) === 0
  await waitUntil('no open record', isClosed, TIMEOUT_MS)
})

test('acknowledged: a settlement waits until a replica has it', async () => {
  await using primary = await startValkey({ args: PRIMARY })
  const port = portOf(primary.url)
  await using replica = await startValkey({ args: ['--replicaof', '127.0.0.1', `${port}`] })
  await using valkey = await connectValkey([primary.url])
  await waitForReplica(valkey)
  await using direct = await connectValkey([replica.url])
  const acknowledged = { replicas: 1, urls: [primary.url] }
  const options = { log: keepLines().log, holdMs: 60_000, acknowledged }
  await using usageLog = openUsageLog(valkey, options)
  const all = Array.from({ length: 300 }, () => openedRecord())
  await Promise.all(
    all.map(async (opened) => {
      await usageLog.settle(endOf(opened), opened)
      assert.equal((await readUsage(direct, opened)).length, 1)
    }),
  )
})

test('acknowledged: without a replica all is written and reported, nothing dropped', async () => {
  await using primary = await startValkey({ args: PRIMARY })
  const replicaOf = ['--replicaof', '127.0.0.1', `${portOf(primary.url)}`]
  await using replica = await startValkey({ args: replicaOf })
  await using valkey = await connectValkey([primary.url])
  const acknowledged = { replicas: 1, urls: [primary.url] }
  const { log, lines } = keepLines()
  const options = { log, bufferedMax: 100, flushMs: HOLD_MS, acknowledged }
  await using usageLog = openUsageLog(valkey, options)
  const settleWave = async () => {
    const all = Array.from({ length: 100 }, () => openedRecord())
    await Promise.all(all.map((opened) => usageLog.settle(endOf(opened), opened)))
    for (const opened of all) assert.equal((await readUsage(valkey, opened)).length, 1)
  }
  await waitForReplica(valkey)
  await settleWave()
  assert.equal(usageLog.unacknowledged(), 0)
  await replica.kill()
  for (let wave = 0; wave < 5; wave += 1) await settleWave()
  assert.equal(usageLog.unacknowledged(), 500)
  const warnings = lines.map(({ message }) => message).filter((each) => each !== 'settled')
  assert.deepEqual(warnings, ['usage records not acknowledged'])
  await using _again = await startValkey({ args: replicaOf })
  const areAcknowledged = async () => {
    const before = usageLog.unacknowledged()
    await settleWave()
    return usageLog.unacknowledged() === before
  }
  await waitUntil('acknowledged records', areAcknowledged, TIMEOUT_MS)
})

test('acknowledged: in a cluster the node that has the record acknowledges it', async () => {
  await using cluster = await startValkeyCluster({ replicas: 1 })
  await using valkey = await connectValkey(cluster.urls)
  const acknowledged = { replicas: 1, urls: cluster.urls }
  const options = { log: keepLines().log, holdMs: 60_000, acknowledged }
  await using usageLog = openUsageLog(valkey, options)
  const all = Array.from({ length: 100 }, () => openedRecord())
  await Promise.all(all.map((opened) => usageLog.settle(endOf(opened), opened)))
  for (const opened of all) assert.equal((await readUsage(valkey, opened)).length, 1)
})

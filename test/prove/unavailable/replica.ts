import { openUsageLog } from '../../../src/store/usage/usage-log.ts'
import { readBacklog } from '../../../src/store/usage/usage-stream.ts'
import { keepLines } from '../../harness/lines.ts'
import { timeUntil, waitUntil } from '../../harness/figures/measure.ts'
import { endOf, openedRecord } from '../../harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../harness/servers/valkey.ts'

/** Together more settlements than a process would buffer without a server. */
const WAVES = 21
const WAVE = 1_000
const TIMEOUT_MS = 30_000
/** Longer than a wave takes on a busy machine. */
const HOLD_MS = 5_000

/**
 * Usage records must be acknowledged by a replica, and only the replica is killed. All records must
 * be written, reported as not acknowledged, and acknowledged again once a replica is back.
 */
export async function judgeReplica() {
  await using primary = await startValkey({ args: ['--repl-diskless-sync-delay', '0'] })
  const replicaOf = ['--replicaof', '127.0.0.1', new URL(primary.url).port]
  await using replica = await startValkey({ args: replicaOf })
  await using valkey = await connectValkey([primary.url])
  const { log, lines } = keepLines()
  const acknowledged = { replicas: 1, urls: [primary.url] }
  await using usageLog = openUsageLog(valkey, { log, acknowledged, holdMs: HOLD_MS })
  let sent = 0
  /** Returns whether all of the records were acknowledged. */
  const settleWave = async () => {
    const earlier = usageLog.unacknowledged()
    const all = Array.from({ length: WAVE }, () => openedRecord())
    await Promise.all(all.map((opened) => usageLog.settle(endOf(opened), opened)))
    sent += WAVE
    return usageLog.unacknowledged() === earlier
  }
  await waitUntil('the replica to acknowledge', settleWave, TIMEOUT_MS)
  await replica.kill()
  const earlier = usageLog.unacknowledged()
  for (let wave = 0; wave < WAVES; wave += 1) await settleWave()
  const unacknowledged = () => usageLog.unacknowledged() - earlier
  // More if the machine is so slow that a call times out and is repeated.
  const reportedMs = await timeUntil(() => unacknowledged() >= WAVES * WAVE, TIMEOUT_MS)
  const { records: written } = await readBacklog(valkey)
  const details = `${written} written without it, ${unacknowledged()} reported`
  await using _again = await startValkey({ args: replicaOf })
  const againMs = await timeUntil(settleWave, TIMEOUT_MS)
  const isWritten = async () => (await readBacklog(valkey)).records === sent
  const writtenMs = await timeUntil(isWritten, TIMEOUT_MS)
  const dropped = lines.filter(({ message }) => message === 'usage record dropped').length
  const reported = lines.some(({ message }) => message === 'usage records not acknowledged')
  const inTime = ![reportedMs, againMs, writtenMs].includes(null)
  const held = inTime && dropped === 0 && reported
  return { held, recoveryMs: againMs ?? Infinity, details: `${details}, ${dropped} dropped` }
}

import { setTimeout as pause } from 'node:timers/promises'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { fleetKey, PARTITIONS, partitionKeys } from './keys.ts'
import { parseHash } from './parse-hash.ts'
import type { Valkey } from './valkey.ts'

/** Longer than the interval of the renewals of a lease, 5 s; heartbeats come every 250 ms. */
const SILENCE_MS = 6_000
const POLL_MS = 500

const CONCURRENT_PARTITIONS = 32

/**
 * The `api` processes of a fleet that run: those that renew their leases or send heartbeats. A
 * process that was killed is still known, so this watches until something has changed, or all is
 * older than the interval.
 */
export async function findRunning(
  valkey: Pick<Valkey, 'call'>,
  fleet: string,
  silenceMs = SILENCE_MS,
): Promise<ReadonlySet<string>> {
  const before = await readHeartbeats(valkey, fleet)
  const untilMs = performance.now() + silenceMs
  for (let heartbeats = before; ; heartbeats = await readHeartbeats(valkey, fleet)) {
    const [seconds] = (await valkey.call('TIME', [])) as [string, string]
    const nowMs = Number(seconds) * 1000
    const changed = [...heartbeats].filter(
      ([name, heartbeatMs]) => before.get(name) !== heartbeatMs,
    )
    if (changed.length > 0) return new Set(changed.map(([name]) => name))
    const isSilent = [...heartbeats.values()].every(
      (heartbeatMs) => nowMs - heartbeatMs >= silenceMs,
    )
    if (isSilent || performance.now() >= untilMs) return new Set()
    await pause(POLL_MS)
  }
}

/** When each process was last heard of, in ms of the server's clock. */
async function readHeartbeats(
  valkey: Pick<Valkey, 'call'>,
  fleet: string,
): Promise<Map<string, number>> {
  const heartbeats = new Map<string, number>()
  const note = (name: string, ms: number) =>
    heartbeats.set(name, Math.max(heartbeats.get(name) ?? 0, ms))
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
  await forEachLimited(CONCURRENT_PARTITIONS, partitions, async (partition) => {
    const { leases } = partitionKeys(partition)
    const reply = (await valkey.call('HGETALL', [leases])) as string[]
    for (const [name, ms] of parseHash(reply)) note(name, Number(ms))
  })
  const processes = fleetKey(fleet, 'processes')
  const scores = (await valkey.call('ZRANGE', [processes, 0, -1, 'WITHSCORES'])) as string[]
  for (const [name, ms] of parseHash(scores)) note(name, Number(ms))
  return heartbeats
}

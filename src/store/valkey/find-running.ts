import { setTimeout as pause } from 'node:timers/promises'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { PARTITIONS, engineUsersKey, partitionKeys } from './keys.ts'
import { parseHash } from './parse-hash.ts'
import type { Valkey } from './valkey.ts'

/** Longer than the interval of heartbeats: 5 s with open requests, 1 s on a llama-server. */
const SILENCE_MS = 6_000
const POLL_MS = 500

const CONCURRENT_PARTITIONS = 32

/**
 * The `api` processes that run: those that renew their lease or their registration as a user of an
 * engine. A process that was killed is still registered, so this watches until a registration has
 * changed, or all are older than the interval of heartbeats. A process without requests is known
 * only if it uses a llama-server.
 */
export async function findRunning(
  valkey: Pick<Valkey, 'call'>,
  engineServers: readonly string[],
  silenceMs = SILENCE_MS,
): Promise<ReadonlySet<string>> {
  const before = await readBeats(valkey, engineServers)
  const untilMs = performance.now() + silenceMs
  for (let beats = before; ; beats = await readBeats(valkey, engineServers)) {
    const [seconds] = (await valkey.call('TIME', [])) as [string, string]
    const nowMs = Number(seconds) * 1000
    const changed = [...beats].filter(([name, beatMs]) => before.get(name) !== beatMs)
    if (changed.length > 0) return new Set(changed.map(([name]) => name))
    const isSilent = [...beats.values()].every((beatMs) => nowMs - beatMs >= silenceMs)
    if (isSilent || performance.now() >= untilMs) return new Set()
    await pause(POLL_MS)
  }
}

/** When each process last renewed its registration, in ms of the server's clock. */
async function readBeats(
  valkey: Pick<Valkey, 'call'>,
  engineServers: readonly string[],
): Promise<Map<string, number>> {
  const beats = new Map<string, number>()
  const note = (name: string, ms: number) => beats.set(name, Math.max(beats.get(name) ?? 0, ms))
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
  await forEachLimited(CONCURRENT_PARTITIONS, partitions, async (partition) => {
    const { leases } = partitionKeys(partition)
    const reply = (await valkey.call('HGETALL', [leases])) as string[]
    for (const [name, ms] of parseHash(reply)) note(name, Number(ms))
  })
  for (const server of engineServers)
    for (const name of (await valkey.call('ZRANGE', [engineUsersKey(server), 0, -1])) as string[]) {
      // A process that is alone on an engine has a second entry.
      if (name.startsWith('alone:')) continue
      note(name, Number(await valkey.call('ZSCORE', [engineUsersKey(server), name])))
    }
  return beats
}

import { setTimeout as pause } from 'node:timers/promises'
import { fleetKey } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** Probes of engines, which one process makes for all. */
export type SharedProbes = {
  /** What was found since the engine last started; probes it if nobody has. */
  share<Found>(engine: string, probe: () => Promise<Found>, signal: AbortSignal): Promise<Found>
  /** The engine may have been restarted with other flags. */
  forget(engine: string): Promise<void>
}

const PROBING = 'probing'
/** Longer than a probe takes; then another process probes. */
const PROBING_MS = 180_000
/** A restart that no process noticed is found after this time at the latest. */
const FOUND_MS = 24 * 3_600_000
const WAIT_MS = 1_000

export function openSharedProbes(valkey: Pick<Valkey, 'call'>, fleet = 'main'): SharedProbes {
  const keyOf = (engine: string) => fleetKey(fleet, `probe:${engine}`)
  // Sharing only saves work: whatever is wrong with Valkey, a process can probe for itself.
  const call = (command: string, args: (string | number)[]) =>
    valkey.call(command, args).catch(() => null)

  async function probeForAll<Found>(key: string, probe: () => Promise<Found>): Promise<Found> {
    try {
      const found = await probe()
      await call('SET', [key, JSON.stringify(found), 'PX', FOUND_MS])
      return found
    } catch (error) {
      await call('DEL', [key])
      throw error
    }
  }

  return {
    async share<Found>(engine: string, probe: () => Promise<Found>, signal: AbortSignal) {
      const key = keyOf(engine)
      for (;;) {
        const args = [key, PROBING, 'NX', 'GET', 'PX', PROBING_MS]
        const found = (await call('SET', args)) as string | null
        if (found === null) return probeForAll(key, probe)
        if (found !== PROBING) return JSON.parse(found) as Found
        await pause(WAIT_MS, undefined, { signal, ref: false })
      }
    },
    async forget(engine) {
      await call('DEL', [keyOf(engine)])
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import type { Config } from '../../config/load.ts'
import { startDiscovery, type GroupState } from '../../engines/discovery/discovery.ts'
import { expandEngines, type KnownEngines } from './expand-engines.ts'
import { groupsOf } from './open-serving.ts'

const TIMEOUT_MS = 5_000

type Discovered = KnownEngines & { readonly groups: Readonly<Record<string, GroupState>> }

/** The engines of the file and those that its sources name now, for a command. */
export async function discoverOnce(config: Config): Promise<Discovered> {
  const discovery = startDiscovery(() => undefined, pino({ level: 'silent' }))
  discovery.follow(groupsOf(config))
  await Promise.race([discovery.settled(), pause(TIMEOUT_MS, undefined, { ref: false })])
  const groups = discovery.states()
  const known = expandEngines(config, discovery.found())
  discovery.close()
  return { ...known, groups }
}

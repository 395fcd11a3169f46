import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { fleetKey, FLEETS_KEY } from '../valkey/keys.ts'

/** The files of each part, which see their own names and those of the first two files. */
const PARTS = {
  states: ['heartbeat-state-rules.lua', 'heartbeat-states.lua'],
  watch: ['heartbeat-watch.lua'],
  capacity: ['heartbeat-capacity.lua'],
  leases: ['heartbeat-leases.lua', 'heartbeat-grants.lua'],
  pools: ['heartbeat-pools.lua'],
  summary: ['heartbeat-summary.lua'],
}

/** A report without figures names few parts, and processes are forgotten only with figures. */
function readPart([name, files]: [string, readonly string[]]): string {
  const condition = `report.${name} or report.figures or report.leaving`
  return `if ${condition} then\n${readScript(import.meta.url, ...files)}\nend`
}

/** What decides for all processes; see `heartbeat.lua`. */
export const HEARTBEAT_SCRIPT = [
  readScript(import.meta.url, 'heartbeat.lua', 'heartbeat-engines.lua'),
  ...Object.entries(PARTS).map(readPart),
  readScript(import.meta.url, 'heartbeat-end.lua'),
].join('\n')

/** How often a process says that its fleet exists: another node of a cluster may have lost it. */
const LISTED_MS = 60_000

/** Sends a report of this process to its fleet and returns the reply; see `heartbeat.lua`. */
export function openHeartbeatExchange(valkey: Pick<Valkey, 'call'>, fleet = 'main') {
  const call = scriptCaller(valkey, HEARTBEAT_SCRIPT)
  const keys = [fleetKey(fleet, '')]
  let listedMs = -Infinity
  return async (report: object): Promise<unknown> => {
    if (performance.now() - listedMs > LISTED_MS) {
      listedMs = performance.now()
      void valkey.call('SADD', [FLEETS_KEY, fleet]).catch(() => void (listedMs = -Infinity))
    }
    const reply = await call({ keys, args: [JSON.stringify(report)] })
    return JSON.parse(String(reply)) as unknown
  }
}

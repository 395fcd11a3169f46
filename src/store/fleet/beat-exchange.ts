import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { FLEET_PREFIX } from '../valkey/keys.ts'

/** The files of each part, which see their own names and those of the first two files. */
const PARTS = {
  states: ['beat-state-rules.lua', 'beat-states.lua'],
  watch: ['beat-watch.lua'],
  capacity: ['beat-capacity.lua'],
  leases: ['beat-leases.lua', 'beat-grants.lua'],
  pools: ['beat-pools.lua'],
  placements: ['beat-placements.lua'],
  summary: ['beat-summary.lua'],
}

/** A report without figures names few parts, and processes are forgotten only with figures. */
function readPart([name, files]: [string, readonly string[]]): string {
  const condition = `report.${name} or report.figures or report.leaving`
  return `if ${condition} then\n${readScript(import.meta.url, ...files)}\nend`
}

/** What decides for all processes; see `beat.lua`. */
export const HEARTBEAT_SCRIPT = [
  readScript(import.meta.url, 'beat.lua', 'beat-engines.lua'),
  ...Object.entries(PARTS).map(readPart),
  readScript(import.meta.url, 'beat-end.lua'),
].join('\n')

/** Sends a report of this process to its fleet and returns the reply; see `beat.lua`. */
export function openBeatExchange(valkey: Pick<Valkey, 'call'>, fleet = 'main') {
  const call = scriptCaller(valkey, HEARTBEAT_SCRIPT)
  const orders = `${FLEET_PREFIX}orders`
  const keys = [`${FLEET_PREFIX}${fleet}:`, orders, `${orders}-version`]
  return async (report: object): Promise<unknown> => {
    const reply = await call({ keys, args: [JSON.stringify(report)] })
    return JSON.parse(String(reply)) as unknown
  }
}

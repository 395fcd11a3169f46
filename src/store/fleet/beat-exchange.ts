import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { FLEET_PREFIX } from '../valkey/keys.ts'

/** The files of each part, which see their own names and those of beat.lua only. */
const PARTS = [
  ['beat-state-rules.lua', 'beat-states.lua'],
  ['beat-watch.lua'],
  ['beat-capacity.lua'],
  ['beat-leases.lua'],
  ['beat-placements.lua'],
]
const SCRIPT = [
  readScript(import.meta.url, 'beat.lua'),
  ...PARTS.map((files) => `do\n${readScript(import.meta.url, ...files)}\nend`),
  readScript(import.meta.url, 'beat-end.lua'),
].join('\n')

/** Sends a report of this process to its fleet and returns the reply; see `beat.lua`. */
export function openBeatExchange(valkey: Pick<Valkey, 'call'>, fleet = 'main') {
  const call = scriptCaller(valkey, SCRIPT)
  const keys = [`${FLEET_PREFIX}${fleet}:`, `${FLEET_PREFIX}orders`]
  return async (report: object): Promise<unknown> => {
    const reply = await call({ keys, args: [JSON.stringify(report)] })
    return JSON.parse(String(reply)) as unknown
  }
}

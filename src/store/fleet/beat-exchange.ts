import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { FLEET_PREFIX } from '../valkey/keys.ts'

const PARTS = ['beat-leases.lua', 'beat-watch.lua']
const SCRIPT = readScript(import.meta.url, 'beat.lua', ...PARTS, 'beat-end.lua')

/** Sends a report of this process to the fleet and returns the reply; `beat.lua` describes both. */
export function openBeatExchange(valkey: Pick<Valkey, 'call'>) {
  const call = scriptCaller(valkey, SCRIPT)
  return async (report: object): Promise<unknown> => {
    const reply = await call({ keys: [FLEET_PREFIX], args: [JSON.stringify(report)] })
    return JSON.parse(String(reply)) as unknown
  }
}

import { partitionKeys } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

const SCRIPT = readScript(import.meta.url, 'recount-running.lua')

/** Above it a partition is not recounted: a call must not delay the server's clients. */
const OPEN_MAX = 1_000

/** Returns a function that corrects the running requests of a partition, and says how many. */
export function createRecount(
  valkey: Pick<Valkey, 'call'>,
): (partition: number) => Promise<number> {
  const recount = scriptCaller(valkey, SCRIPT)
  return async (partition) => {
    const { open, running } = partitionKeys(partition)
    const wrong = (await recount({ keys: [open, running], args: [OPEN_MAX] })) as number
    return Math.max(0, wrong)
  }
}

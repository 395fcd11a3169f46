import type { Log } from '../lib/log.ts'
import { createRecount } from '../store/limits/recount-running.ts'
import { PARTITIONS } from '../store/valkey/keys.ts'
import type { Valkey } from '../store/valkey/valkey.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 60_000

/**
 * Corrects the counts of running requests. Every step of this release keeps them exact, but one of
 * another release that runs beside it does not: without this a count that is too high would refuse
 * an organization's requests for ever.
 */
export function recountRunning(valkey: Pick<Valkey, 'call'>, log: Log): Job {
  const recount = createRecount(valkey)
  return {
    name: 'recount-running',
    pauseMs: INTERVAL_MS,
    async run(signal) {
      let count = 0
      for (let partition = 0; partition < PARTITIONS && !signal.aborted; partition += 1)
        count += await recount(partition)
      if (count > 0) log.warn({ count }, 'running request counts corrected')
      return false
    },
  }
}

import type { Log } from '../lib/log.ts'
import { destroyExpiredKeys, destroyWithdrawnKeys } from '../store/content/expire-content.ts'
import { addDays, dayOf, dropDayPartitions } from '../store/postgres/partitions.ts'
import type { Postgres } from '../store/postgres/postgres.ts'
import { KEPT_RETENTIONS, type KeptRetention } from '../tenancy/content-record.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 600_000

const TABLES = {
  standard: 'retained_standard',
  contributor: 'retained_contributor',
} as const satisfies Record<KeptRetention, string>

export type RetentionDays = Readonly<Record<KeptRetention, number>>

/**
 * Ends what was kept long enough: content of a day is kept for so many days after it, and is gone
 * within minutes after the last of them. Its keys go first, so that a partition that cannot be
 * dropped at the moment is unreadable all the same. Contributions of an organization that no
 * longer contributes end as if they had been kept under `standard`.
 */
export function purgeContent(
  { pool, database }: Postgres,
  days: RetentionDays,
  log: Log,
  now: () => number = Date.now,
): Job {
  return {
    name: 'purge-content',
    restMs: INTERVAL_MS,
    async run() {
      const today = dayOf(now())
      const firstOf = (retention: KeptRetention) => addDays(today, -days[retention])
      let keys = await destroyWithdrawnKeys(database, firstOf('standard'))
      let dropped = 0
      for (const retention of KEPT_RETENTIONS)
        keys += await destroyExpiredKeys(database, retention, firstOf(retention))
      for (const retention of KEPT_RETENTIONS)
        dropped += (await dropDayPartitions(pool, TABLES[retention], firstOf(retention))).length
      if (keys > 0) log.info({ operation: 'content_keys', count: keys }, 'keys destroyed')
      if (dropped > 0) log.info({ operation: 'retained_content', count: dropped }, 'days dropped')
      return false
    },
  }
}

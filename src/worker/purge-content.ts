import type { Log } from '../lib/log.ts'
import { destroyExpiredKeys, destroyWithdrawnKeys } from '../store/content/expire-content.ts'
import { addDays, dayOf, deleteStrayContent, dropPartitions } from '../store/postgres/partitions.ts'
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
 * Deletes expired content, within minutes after its last day of retention. The keys are destroyed
 * first, so that the content of a partition that cannot be dropped yet is already unreadable.
 * Contributions of an organization that no longer contributes expire as under `standard`.
 */
export function purgeContent(
  { pool, database }: Postgres,
  days: RetentionDays,
  log: Log,
  now: () => number = Date.now,
): Job {
  return {
    name: 'purge-content',
    pauseMs: INTERVAL_MS,
    async run() {
      const today = dayOf(now())
      const firstOf = (retention: KeptRetention) => addDays(today, -days[retention])
      let keys = await destroyWithdrawnKeys(database, firstOf('standard'))
      let dropped = 0
      for (const retention of KEPT_RETENTIONS)
        keys += await destroyExpiredKeys(database, retention, firstOf(retention))
      for (const retention of KEPT_RETENTIONS) {
        dropped += await dropPartitions(pool, TABLES[retention], firstOf(retention))
        await deleteStrayContent(pool, TABLES[retention], firstOf(retention))
      }
      if (keys > 0)
        log.info({ operation: 'content_keys', count: keys }, 'expired content keys destroyed')
      if (dropped > 0)
        log.info({ operation: 'retained_content', count: dropped }, 'expired partitions dropped')
      return false
    },
  }
}

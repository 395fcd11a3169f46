import type { Kysely } from 'kysely'
import { listUnannounced } from '../store/people/announcements.ts'
import type { Tables } from '../store/postgres/tables.ts'
import type { RaisedVersion } from '../store/tenants/versions.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 2_000
/** Whoever made a change announces it within this time, or has failed. */
const AGE_MS = 5_000
const BATCH = 100

type Announcing = {
  readonly database: Kysely<Tables>
  /** Takes what is announced off the outbox. */
  readonly announce: (raised: readonly RaisedVersion[]) => Promise<void>
}

/**
 * Delivers raised versions that did not reach Valkey: it was unavailable, or the process that made
 * the change died.
 */
export function announceVersionsJob({ database, announce }: Announcing): Job {
  return {
    name: 'announce-versions',
    pauseMs: INTERVAL_MS,
    async run() {
      const waiting = await listUnannounced(database, AGE_MS, BATCH)
      await announce(waiting)
      return waiting.length === BATCH
    },
  }
}

import type { Kysely } from 'kysely'
import { announceOrders } from '../store/fleet/engine-orders.ts'
import type { Tables } from '../store/postgres/tables.ts'
import type { Valkey } from '../store/valkey/valkey.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 2_000

/**
 * Announces the orders to engines that Valkey does not know: it was unavailable when they were
 * given, or has lost its data since.
 */
export function announceOrdersJob(database: Kysely<Tables>, valkey: Pick<Valkey, 'call'>): Job {
  return {
    name: 'announce-orders',
    pauseMs: INTERVAL_MS,
    async run() {
      await announceOrders(database, valkey)
      return false
    },
  }
}

import { forEachLimited } from '../lib/for-each-limited.ts'
import { ALL_PARTITIONS } from '../store/ledger/reconciliations.ts'
import { createOpenRecords } from '../store/usage/open-records.ts'
import type { Valkey } from '../store/valkey/valkey.ts'

const CONCURRENT_PARTITIONS = 16

/**
 * Closes all open requests but those of running processes from their last checkpoints, without
 * waiting for leases to expire. Returns how many it closed.
 */
export async function closeOpen(
  valkey: Pick<Valkey, 'call'>,
  running: ReadonlySet<string>,
): Promise<number> {
  const records = createOpenRecords(valkey)
  let closed = 0
  await forEachLimited(CONCURRENT_PARTITIONS, ALL_PARTITIONS, async (partition) => {
    const { open, leases } = await records.inspect(partition)
    if (open > 0)
      for await (const entries of records.list(partition))
        for (const { opened } of entries) {
          // A worker removes what cannot be read, and reports it.
          if (opened === undefined || running.has(opened.instance)) continue
          if (await records.close(opened, leases.get(opened.instance) ?? '')) closed += 1
        }
    for (const [instance, lease] of leases)
      if (!running.has(instance)) await records.forgetLease(partition, instance, lease)
  })
  return closed
}

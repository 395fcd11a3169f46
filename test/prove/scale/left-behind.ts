import type { Pool } from 'pg'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { openReconciliations } from '../../../src/store/ledger/reconciliations.ts'
import { readBacklog } from '../../../src/store/usage/usage-stream.ts'
import { organizationKeys, PARTITIONS, partitionKeys } from '../../../src/store/valkey/keys.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { compareHours, findingsOf } from '../../../src/worker/compare-hours.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { madeId } from './fill-postgres.ts'

const TIMEOUT_MS = 300_000
const HOURS_BACK = 1
const AT_ONCE = 500

/** Waits until no request is open and every settled one is in PostgreSQL. */
export async function waitUntilPosted(valkey: Valkey): Promise<number> {
  const isPosted = async () => {
    const { records, open } = await readBacklog(valkey)
    return records === 0 && open === 0
  }
  const seen = () => readBacklog(valkey)
  return waitUntil('all usage to be settled and posted', isPosted, TIMEOUT_MS, { seen })
}

/** The sums of the usage log that differ from those of posted usage. */
export async function findDifferences(pool: Pool, valkey: Valkey): Promise<string[]> {
  const now = Math.floor(Date.now() / HOUR_MS)
  const hours = Array.from({ length: HOURS_BACK + 1 }, (_, back) => now - back)
  const reconciliations = openReconciliations(pool, valkey)
  const { compared, busy } = await compareHours(reconciliations, hours, AbortSignal.any([]))
  const findings = compared.flatMap(findingsOf).filter(({ difference }) => difference !== 0)
  const texts = findings.map((finding) => `reconciliation: ${JSON.stringify(finding)}`)
  return busy > 0 ? [...texts, `reconciliation: ${busy} partitions are busy`] : texts
}

/** Counters of running requests and checkpoints that are left although no request is open. */
export async function findRunning(valkey: Valkey): Promise<string[]> {
  const found: string[] = []
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const { running, progress } = partitionKeys(partition)
    const counts = (await valkey.call('HGETALL', [running])) as string[]
    for (let at = 0; at < counts.length; at += 2)
      if (counts[at + 1] !== '0') found.push(`running: ${counts[at]} is ${counts[at + 1]}`)
    const checkpoints = (await valkey.call('HLEN', [progress])) as number
    if (checkpoints > 0) found.push(`partition ${partition} has ${checkpoints} checkpoints`)
  }
  return found
}

/** Organizations 1 … `active` that spent something else than is posted, or still reserve. */
export async function findWrongFunds(
  pool: Pool,
  valkey: Valkey,
  active: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; cost: number }>(
    `select organization_id as id, sum(cost)::bigint as cost from usage_records group by 1`,
  )
  const posted = new Map(rows.map(({ id, cost }) => [id, cost]))
  const found: string[] = []
  const compare = async (number: number) => {
    const id = madeId('organization', number)
    const { funds } = organizationKeys(id)
    const values = (await valkey.call('HMGET', [funds, 'spent', 'reserved'])) as (string | null)[]
    const [spent = 0, reserved = 0] = values.map(Number)
    const cost = posted.get(id) ?? 0
    if (spent !== cost || reserved !== 0)
      found.push(`funds: ${id} spent ${spent} reserved ${reserved} posted ${cost}`)
  }
  for (let from = 1; from <= active; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, active + 1 - from)
    await Promise.all(Array.from({ length: count }, (_, at) => compare(from + at)))
  }
  return found
}

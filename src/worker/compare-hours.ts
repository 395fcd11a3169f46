import { setTimeout as pause } from 'node:timers/promises'
import { HOUR_MS } from '../lib/time.ts'
import {
  ALL_PARTITIONS,
  NO_SUMS,
  isPosted,
  plus,
  type Finding,
  type Reconciliations,
  type Sums,
} from '../store/ledger/reconciliations.ts'

/** How long records that are counted may take to be posted. */
const ATTEMPTS = 10
const RETRY_MS = 300

export type Compared = { readonly counted: Sums; readonly ledger: Sums }

/** The partitions of an hour whose counters did not change meanwhile. */
export type ComparedHour = {
  /** Since 1970. */
  readonly hour: number
  readonly partitions: ReadonlyMap<number, Compared>
}

/**
 * Reads counters, waits until what they count is posted, sums posted usage, and reads the counters
 * again. The posted usage of an hour whose counters did not change must match to the last token.
 * `busy` is the number of partitions that were not posted in time. Without waiting, records that
 * are not posted yet count as a difference.
 */
export async function compareHours(
  reconciliations: Reconciliations,
  hours: readonly number[],
  signal: AbortSignal,
  waits = true,
): Promise<{ readonly compared: ComparedHour[]; readonly busy: number }> {
  const before = await reconciliations.readCounters(hours, ALL_PARTITIONS)
  const left = new Map([...before].filter(([, { newest }]) => waits && newest !== undefined))
  for (let attempt = 1; attempt < ATTEMPTS && left.size > 0; attempt += 1) {
    await pause(RETRY_MS, undefined, { signal })
    const now = await reconciliations.readCounters([], left.keys())
    for (const [partition, reading] of now)
      if (isPosted(before.get(partition) ?? reading, reading)) left.delete(partition)
  }
  const ledger = new Map<number, Map<number, Sums>>()
  for (const hour of hours) {
    signal.throwIfAborted()
    ledger.set(hour, await reconciliations.sumHour(hour))
  }
  const posted = ALL_PARTITIONS.filter((partition) => !left.has(partition))
  const after = await reconciliations.readCounters(hours, posted)
  const compared = hours.map((hour) => {
    const partitions = new Map<number, Compared>()
    for (const [partition, reading] of after) {
      const counted = reading.sums.get(hour) ?? NO_SUMS
      const unchanged =
        differenceOf(before.get(partition)?.sums.get(hour) ?? NO_SUMS, counted) === 0
      const posting = ledger.get(hour)?.get(partition) ?? NO_SUMS
      if (unchanged) partitions.set(partition, { counted, ledger: posting })
    }
    return { hour, partitions }
  })
  return { compared, busy: left.size }
}

/** One finding for each partition with usage, and one for all of them. */
export function findingsOf({ hour: number, partitions }: ComparedHour): Finding[] {
  const hour = new Date(number * HOUR_MS)
  const source = 'usage_log' as const
  const findings: Finding[] = []
  let [counted, ledger, difference] = [NO_SUMS, NO_SUMS, 0]
  for (const [partition, sums] of partitions) {
    counted = plus(counted, sums.counted)
    ledger = plus(ledger, sums.ledger)
    const own = differenceOf(sums.counted, sums.ledger)
    difference = largest(difference, own)
    // Most partitions of most hours are empty.
    if (sums.counted.records === 0 && sums.ledger.records === 0) continue
    const name = `p${partition.toString(16).padStart(2, '0')}`
    findings.push({ hour, source, name, ...sums, difference: own })
  }
  if (findings.length > 0) findings.push({ hour, source, name: 'all', counted, ledger, difference })
  return findings
}

/** The largest difference between two sums: 0 only if all fields are equal. */
function differenceOf(counted: Sums, ledger: Sums): number {
  const fields = Object.keys(counted) as (keyof Sums)[]
  return fields.reduce((most, field) => largest(most, counted[field] - ledger[field]), 0)
}

export function largest(one: number, other: number): number {
  return Math.abs(other) > Math.abs(one) ? other : one
}

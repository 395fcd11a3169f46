import { HOUR_MS } from '../lib/time.ts'
import { NO_SUMS, plus, type Reconciliations, type Sums } from '../store/ledger/reconciliations.ts'
import { compareHours, findingsOf, type Compared, type ComparedHour } from './compare-hours.ts'

/** Counters are kept for three days after the last request of their hour, so these are complete. */
const HOURS = 72

/** An hour with usage: what the usage log counted, and what PostgreSQL has. */
export type RecountedHour = {
  readonly hour: Date
  readonly counted: Sums
  readonly posted: Sums
  /** The sums over the partitions in which PostgreSQL has less. */
  readonly missing: { readonly records: number; readonly tokens: number }
}

export type Recount = {
  readonly hours: readonly RecountedHour[]
  /** Hours of partitions whose counters Valkey has lost and that were taken from PostgreSQL. */
  readonly rebuilt: number
}

/**
 * Compares all hours that have counters with PostgreSQL. Counters below the posted usage were lost
 * with Valkey: they are set to it, so that later comparisons find only new differences. With
 * `compare` they are only counted.
 */
export async function recountHours(
  reconciliations: Reconciliations,
  act: 'compare' | 'rebuild',
): Promise<Recount> {
  const last = Math.floor(Date.now() / HOUR_MS)
  const hours = Array.from({ length: HOURS }, (_, back) => last - back).toReversed()
  const { signal } = new AbortController()
  const { compared } = await compareHours(reconciliations, hours, signal, false)
  let rebuilt = 0
  for (const { hour, partitions } of compared)
    for (const [partition, { counted, ledger }] of partitions) {
      if (!isBelow(counted, ledger)) continue
      if (act === 'rebuild') await reconciliations.replaceCounters(hour, partition, ledger)
      rebuilt += 1
    }
  if (act === 'rebuild') await reconciliations.write(compared.map(withRebuilt).flatMap(findingsOf))
  return { hours: compared.map(sumPartitions).filter(hasUsage), rebuilt }
}

function isBelow(counted: Sums, ledger: Sums): boolean {
  const fields = Object.keys(counted) as (keyof Sums)[]
  return (
    fields.every((field) => counted[field] <= ledger[field]) &&
    fields.some((field) => counted[field] < ledger[field])
  )
}

function withRebuilt({ hour, partitions }: ComparedHour): ComparedHour {
  const rebuild = ({ counted, ledger }: Compared) =>
    isBelow(counted, ledger) ? { counted: ledger, ledger } : { counted, ledger }
  return { hour, partitions: new Map([...partitions].map(([name, sums]) => [name, rebuild(sums)])) }
}

function sumPartitions({ hour, partitions }: ComparedHour): RecountedHour {
  let [counted, posted] = [NO_SUMS, NO_SUMS]
  let [records, tokens] = [0, 0]
  for (const sums of partitions.values()) {
    counted = plus(counted, sums.counted)
    posted = plus(posted, sums.ledger)
    records += Math.max(0, sums.counted.records - sums.ledger.records)
    tokens += Math.max(0, tokensOf(sums.counted) - tokensOf(sums.ledger))
  }
  return { hour: new Date(hour * HOUR_MS), counted, posted, missing: { records, tokens } }
}

function tokensOf({ prompt, completion }: Sums): number {
  return prompt + completion
}

function hasUsage({ counted, posted }: RecountedHour): boolean {
  return counted.records > 0 || posted.records > 0
}

import { setTimeout as pause } from 'node:timers/promises'
import {
  readCounters,
  type CountedEngine,
  type EngineCounters,
} from '../engines/adapters/read-counters.ts'
import { traceError, type Log } from '../lib/log.ts'
import { HOUR_MS } from '../lib/time.ts'
import {
  ALL_PARTITIONS,
  NO_SUMS,
  type Finding,
  type HourCount,
  type Reconciliations,
  type Sums,
} from '../store/ledger/reconciliations.ts'
import type { Job } from './run-jobs.ts'

export type ReconcileDeps = {
  readonly reconciliations: Reconciliations
  readonly engines: readonly CountedEngine[]
  /** The longest that a generation may take, from its opening to its settlement. */
  readonly generationMsMax: number
  readonly everyMs: number
  readonly log: Log
  /** Records a difference as a metric. */
  report(source: Finding['source'], name: string, difference: number): void
}

/** Requests of an hour may be settled in the next one, so hours are compared more than once. */
const HOURS_BACK = 2

/** Attempts to find a partition at rest while it settles and posts. */
const ATTEMPTS = 5
const RETRY_MS = 300

/**
 * Tolerated share of tokens that an engine counted and we did not: of aborted generations, and of
 * those that ran while its counters were read.
 */
const UNCOUNTED_SHARE_MAX = 0.01

/** Compares posted usage with the counters of the usage log and of the engines. */
export function reconcile(deps: ReconcileDeps): Job {
  const { reconciliations, engines, log } = deps
  const samples = new Map<string, EngineSamples>()
  return {
    name: 'reconcile',
    pauseMs: deps.everyMs,
    async run(signal) {
      const hour = Math.floor(Date.now() / HOUR_MS)
      const findings: Finding[] = []
      for (let back = HOURS_BACK; back >= 0; back -= 1)
        findings.push(...(await compareHour(deps, hour - back, signal)))
      for (const engine of engines) findings.push(...(await compareEngine(deps, engine, samples)))
      await reconciliations.write(findings)
      for (const finding of findings) reportFinding(deps, finding)
      const corrected = await reconciliations.resyncSpending((hour - HOURS_BACK) * HOUR_MS)
      if (corrected > 0) log.warn({ count: corrected }, 'spending counters corrected')
      return false
    },
  }
}

/**
 * Reads counters, posted usage, and counters again. If the counters of a partition did not change
 * and nothing was left to post, its posted usage must match to the last token.
 */
async function compareHour(
  { reconciliations, log }: ReconcileDeps,
  hour: number,
  signal: AbortSignal,
): Promise<Finding[]> {
  const compared = new Map<number, { counted: Sums; ledger: Sums }>()
  let left: readonly number[] = ALL_PARTITIONS
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt += 1) {
    if (attempt > 0) await pause(RETRY_MS, undefined, { signal })
    const before = await reconciliations.countHour(hour, left)
    const ledger = await reconciliations.sumHour(hour)
    const after = await reconciliations.countHour(hour, left)
    for (const partition of left) {
      const counted = atRest(before.get(partition), after.get(partition))
      if (counted !== undefined)
        compared.set(partition, { counted, ledger: ledger.get(partition) ?? NO_SUMS })
    }
    left = left.filter((partition) => !compared.has(partition))
  }
  if (left.length > 0) log.info({ count: left.length }, 'partitions too busy to reconcile')
  return findingsOf(new Date(hour * HOUR_MS), compared)
}

function atRest(before: HourCount | undefined, after: HourCount | undefined): Sums | undefined {
  if (before?.posted !== true || after?.posted !== true) return undefined
  return differenceOf(before.sums, after.sums) === 0 ? before.sums : undefined
}

function findingsOf(
  hour: Date,
  compared: ReadonlyMap<number, { readonly counted: Sums; readonly ledger: Sums }>,
): Finding[] {
  const source = 'usage_log' as const
  const findings: Finding[] = []
  let [counted, ledger, difference] = [NO_SUMS, NO_SUMS, 0]
  for (const [partition, sums] of compared) {
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

type Sample = EngineCounters & { readonly atMs: number }

/** The last sample of an engine, and the start of the span before it, not yet compared. */
type EngineSamples = { readonly last: Sample; readonly from: Sample | undefined }

/**
 * Compares the span between the two previous samples, because usage settled in it has been posted
 * by now.
 */
async function compareEngine(
  { reconciliations, generationMsMax, log }: ReconcileDeps,
  engine: CountedEngine,
  samples: Map<string, EngineSamples>,
): Promise<Finding[]> {
  const known = samples.get(engine.name)
  const findings: Finding[] = []
  if (known?.from !== undefined) {
    const settled = { fromMs: known.from.atMs, toMs: known.last.atMs }
    const opened = { fromMs: settled.fromMs - generationMsMax, toMs: settled.toMs }
    const sums = await reconciliations.sumEngine(engine.name, settled, opened)
    findings.push(engineFinding(engine, known.from, known.last, sums))
  }
  try {
    const sample = { ...(await readCounters(engine)), atMs: Date.now() }
    samples.set(engine.name, { last: sample, from: continues(known?.last, sample) })
  } catch (error) {
    // A span without an end sample cannot be compared.
    samples.delete(engine.name)
    log.warn({ engine: engine.name, error: traceError(error) }, 'engine counters unavailable')
  }
  return findings
}

/** Counters that decreased mean that the engine was restarted. */
function continues(before: Sample | undefined, now: Sample): Sample | undefined {
  const restarted =
    before === undefined ||
    now.promptTokens < before.promptTokens ||
    now.completionTokens < before.completionTokens
  return restarted ? undefined : before
}

function engineFinding(engine: CountedEngine, from: Sample, to: Sample, sums: Sums): Finding {
  const { records, prompt, cached, completion } = sums
  const counted = {
    records: null,
    prompt: to.promptTokens - from.promptTokens,
    completion: to.completionTokens - from.completionTokens,
  }
  const ledgerPrompt = engine.counters.countsCached ? prompt : prompt - cached
  const ledger = { records, prompt: ledgerPrompt, completion }
  const difference = largest(counted.prompt - ledgerPrompt, counted.completion - completion)
  const hour = new Date(Math.floor((to.atMs - 1) / HOUR_MS) * HOUR_MS)
  return { hour, source: 'engine', name: engine.name, ledger, counted, difference }
}

function reportFinding(deps: ReconcileDeps, finding: Finding): void {
  const { source, name, difference, counted } = finding
  deps.report(source, name, difference)
  const tolerated =
    source === 'engine' ? UNCOUNTED_SHARE_MAX * (counted.prompt + counted.completion) : 0
  if (Math.abs(difference) > tolerated)
    deps.log.error(
      { operation: `${source} ${name}`, count: difference },
      'posted usage differs from counted usage',
    )
}

function plus(one: Sums, other: Sums): Sums {
  return {
    records: one.records + other.records,
    prompt: one.prompt + other.prompt,
    cached: one.cached + other.cached,
    completion: one.completion + other.completion,
    reasoning: one.reasoning + other.reasoning,
    cost: one.cost + other.cost,
  }
}

/** The largest difference between two sums: 0 only if all fields are equal. */
function differenceOf(counted: Sums, ledger: Sums): number {
  const fields = Object.keys(counted) as (keyof Sums)[]
  return fields.reduce((most, field) => largest(most, counted[field] - ledger[field]), 0)
}

function largest(one: number, other: number): number {
  return Math.abs(other) > Math.abs(one) ? other : one
}

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
  /** Shows a difference to whoever watches. */
  report(source: Finding['source'], name: string, difference: number): void
}

/** Requests of an hour may be settled in the next, so hours are looked at more than once. */
const HOURS_BACK = 2

/** A partition that is settling and posting right now is looked at again this often. */
const LOOKS = 5
const LOOK_AGAIN_MS = 300

/**
 * What an engine may have made and nobody was told: generations that were given up, and those
 * that ran while its counters were read.
 */
const UNTOLD_SHARE_MAX = 0.01

/** Compares the ledger with what the usage log and the engines counted by themselves. */
export function reconcile(deps: ReconcileDeps): Job {
  const { reconciliations, engines, log } = deps
  const samples = new Map<string, EngineSamples>()
  return {
    name: 'reconcile',
    restMs: deps.everyMs,
    async run(signal) {
      const hour = Math.floor(Date.now() / HOUR_MS)
      const findings: Finding[] = []
      for (let back = HOURS_BACK; back >= 0; back -= 1)
        findings.push(...(await compareHour(deps, hour - back, signal)))
      for (const engine of engines) findings.push(...(await compareEngine(deps, engine, samples)))
      await reconciliations.write(findings)
      for (const finding of findings) tell(deps, finding)
      const healed = await reconciliations.resyncSpending((hour - HOURS_BACK) * HOUR_MS)
      if (healed > 0) log.warn({ count: healed }, 'corrected what organizations have spent')
      return false
    },
  }
}

/**
 * Counters, ledger, and counters again: a partition that counted the same before and after, and
 * had nothing left to post, must be in the ledger to the last token.
 */
async function compareHour(
  { reconciliations, log }: ReconcileDeps,
  hour: number,
  signal: AbortSignal,
): Promise<Finding[]> {
  const compared = new Map<number, { counted: Sums; ledger: Sums }>()
  let left: readonly number[] = ALL_PARTITIONS
  for (let look = 0; look < LOOKS && left.length > 0; look += 1) {
    if (look > 0) await pause(LOOK_AGAIN_MS, undefined, { signal })
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
  if (left.length > 0) log.info({ count: left.length }, 'partitions were too busy to reconcile')
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
    // Most partitions of most hours have nothing in them.
    if (sums.counted.records === 0 && sums.ledger.records === 0) continue
    const name = `p${partition.toString(16).padStart(2, '0')}`
    findings.push({ hour, source, name, ...sums, difference: own })
  }
  if (findings.length > 0) findings.push({ hour, source, name: 'all', counted, ledger, difference })
  return findings
}

type Sample = EngineCounters & { readonly atMs: number }

/** The last sample of an engine, and the span before it that is yet to be compared. */
type EngineSamples = { readonly last: Sample; readonly from: Sample | undefined }

/**
 * Compares the span between the last two samples, and only now: what was settled until then has
 * had the time since to get into the ledger.
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
    // Nothing can be said of a span whose end nobody has seen.
    samples.delete(engine.name)
    log.warn({ engine: engine.name, error: traceError(error) }, 'an engine shows no counters')
  }
  return findings
}

/** An engine that was started anew counts from zero. */
function continues(before: Sample | undefined, now: Sample): Sample | undefined {
  const fell =
    before === undefined ||
    now.promptTokens < before.promptTokens ||
    now.completionTokens < before.completionTokens
  return fell ? undefined : before
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

function tell(deps: ReconcileDeps, finding: Finding): void {
  const { source, name, difference, counted } = finding
  deps.report(source, name, difference)
  const tolerated =
    source === 'engine' ? UNTOLD_SHARE_MAX * (counted.prompt + counted.completion) : 0
  if (Math.abs(difference) > tolerated)
    deps.log.error(
      { operation: `${source} ${name}`, count: difference },
      'the ledger differs from what was counted',
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

/** Where two sums differ most, by how much: 0 only if they are the same throughout. */
function differenceOf(counted: Sums, ledger: Sums): number {
  const fields = Object.keys(counted) as (keyof Sums)[]
  return fields.reduce((most, field) => largest(most, counted[field] - ledger[field]), 0)
}

function largest(one: number, other: number): number {
  return Math.abs(other) > Math.abs(one) ? other : one
}

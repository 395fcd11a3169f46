import {
  readCounters,
  type CountedEngine,
  type EngineCounters,
} from '../engines/adapters/read-counters.ts'
import { traceError, type Log } from '../lib/log.ts'
import { HOUR_MS } from '../lib/time.ts'
import {
  NO_SUMS,
  type Finding,
  type Reconciliations,
  type Sums,
} from '../store/ledger/reconciliations.ts'
import { compareHours, findingsOf, largest } from './compare-hours.ts'
import type { ResyncResult } from './resync-funds.ts'
import type { Job } from './run-jobs.ts'

export type ReconcileDeps = {
  readonly reconciliations: Reconciliations
  readonly engines: readonly CountedEngine[]
  /** The longest that a generation may take, from its opening to its settlement. */
  readonly generationMsMax: number
  readonly everyMs: number
  readonly log: Log
  /** See resync-funds.ts. */
  resyncFunds(sinceMs: number, signal: AbortSignal): Promise<ResyncResult>
  /** Records the largest difference of the compared hours as a metric; 0 if it is tolerated. */
  report(source: Finding['source'], name: string, difference: number): void
}

/** Requests of an hour may be settled in the next one, so hours are compared more than once. */
const HOURS_BACK = 2

/**
 * Tolerated share of tokens that an engine counted and we did not: of aborted generations, and of
 * those that ran while its counters were read.
 */
const UNCOUNTED_SHARE_MAX = 0.01

/** Compares posted usage with the counters of the usage log and of the engines. */
export function reconcile(deps: ReconcileDeps): Job {
  const { reconciliations, log } = deps
  const samples = new Map<string, EngineSamples>()
  // What was found in an earlier run and not in this one returns to 0.
  let earlier: readonly Difference[] = []
  return {
    name: 'reconcile',
    pauseMs: deps.everyMs,
    async run(signal) {
      const hour = Math.floor(Date.now() / HOUR_MS)
      const hours = Array.from({ length: HOURS_BACK + 1 }, (_, back) => hour - back).toReversed()
      const { compared, busy: unposted } = await compareHours(reconciliations, hours, signal)
      if (unposted > 0) log.info({ count: unposted }, 'partitions too busy to reconcile')
      const findings = compared.flatMap(findingsOf)
      findings.push(...(await compareEngines(deps, samples)))
      signal.throwIfAborted()
      await reconciliations.write(findings)
      for (const finding of findings) logFinding(log, finding)
      const differences = largestDifferences(earlier, findings)
      for (const { source, name, difference } of differences) deps.report(source, name, difference)
      earlier = differences
      const sinceMs = (hour - HOURS_BACK) * HOUR_MS
      const { corrected, busy } = await deps.resyncFunds(sinceMs, signal)
      if (corrected > 0) log.warn({ count: corrected }, 'spending counters corrected')
      if (busy > 0) log.info({ count: busy }, 'partitions too busy to reconcile')
      return false
    },
  }
}

type Sample = EngineCounters & { readonly atMs: number }

/** The last sample of an engine, and the start of the span before it, not yet compared. */
type EngineSamples = { readonly last: Sample; readonly from: Sample | undefined }

/**
 * Compares for each engine the span between its two previous samples, because usage settled in it
 * has been posted by now.
 */
async function compareEngines(
  deps: ReconcileDeps,
  samples: Map<string, EngineSamples>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const sums = await sumSpans(deps, samples)
  for (const engine of deps.engines) {
    const known = samples.get(engine.name)
    if (known?.from !== undefined)
      findings.push(engineFinding(engine, known.from, known.last, sums.get(engine.name) ?? NO_SUMS))
    try {
      const sample = { ...(await readCounters(engine)), atMs: Date.now() }
      samples.set(engine.name, { last: sample, from: continues(known?.last, sample) })
    } catch (error) {
      // A span without an end sample cannot be compared.
      samples.delete(engine.name)
      deps.log.warn(
        { engine: engine.name, error: traceError(error) },
        'engine counters unavailable',
      )
    }
  }
  return findings
}

async function sumSpans(
  { reconciliations, generationMsMax }: ReconcileDeps,
  samples: ReadonlyMap<string, EngineSamples>,
): Promise<ReadonlyMap<string, Sums>> {
  const settled = [...samples].flatMap(([engine, { from, last }]) =>
    from === undefined ? [] : [{ engine, fromMs: from.atMs, toMs: last.atMs }],
  )
  const fromMs = Math.min(...settled.map((span) => span.fromMs)) - generationMsMax
  const toMs = Math.max(...settled.map((span) => span.toMs))
  return reconciliations.sumEngines(settled, { fromMs, toMs })
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

type Difference = Pick<Finding, 'source' | 'name' | 'difference'>

/** Of each source and name, because an hour without a difference must not hide one with it. */
function largestDifferences(
  earlier: readonly Difference[],
  findings: readonly Finding[],
): readonly Difference[] {
  const found = new Map<string, Difference>()
  const keyOf = ({ source, name }: Difference) => `${source} ${name}`
  for (const each of earlier) found.set(keyOf(each), { ...each, difference: 0 })
  for (const finding of findings) {
    const before = found.get(keyOf(finding))?.difference ?? 0
    const difference = largest(before, isTolerated(finding) ? 0 : finding.difference)
    found.set(keyOf(finding), { ...finding, difference })
  }
  return [...found.values()]
}

function isTolerated({ source, difference, counted }: Finding): boolean {
  const tolerated =
    source === 'engine' ? UNCOUNTED_SHARE_MAX * (counted.prompt + counted.completion) : 0
  return Math.abs(difference) <= tolerated
}

function logFinding(log: Log, finding: Finding): void {
  const { source, name, difference } = finding
  if (!isTolerated(finding))
    log.error(
      { operation: `${source} ${name}`, count: difference },
      'posted usage differs from counted usage',
    )
}

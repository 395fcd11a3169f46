import type { EngineError, Workers } from '../../adapters/engine.ts'
import { classifyFault } from './classify-fault.ts'
import { isServing, type CheckResult } from './engine-states.ts'
import { createFaultLog, type FaultLog } from './fault-log.ts'
import { reportByRate } from './fault-rate.ts'
import { createProgress } from './progress.ts'
import { createRefusals } from './refusals.ts'
import { shortHash, type EngineView, type FleetStates } from './fleet-states.ts'

/** The health of one engine: what its generations in this process show, and its shared state. */
export type EngineHealth = {
  /** A generation started on it. */
  began(): void
  /** It sent real pieces, not pings. */
  progressed(): void
  /** A generation is not read from until `resumed`, because its client reads too slowly. */
  paused(): void
  resumed(): void
  /** The first tokens of a generation came; undefined tokens are unknown. */
  answered(tookMs: number, uncachedTokens: number | undefined, organizationId: string): void
  /** A generation ended, successfully or not. */
  ended(): void
  /** No connection could be opened: no request causes that. */
  unreachable(): void
  failed(error: EngineError, organizationId: string): void
  succeeded(): void
  /** A check ended. */
  checked(result: CheckResult, why: string): void
  readonly running: number
  /** Organizations with recent failures: an engine that fails fast is not idle. */
  faults(nowMs: number): number
  /** Its state, which all processes share. */
  readonly view: EngineView
  /** When it last sent pieces. */
  readonly lastProgressMs: number
  /** How often this process had it ejected. */
  readonly ejections: number
  /** Whether requests should be sent to it. */
  isHealthy(nowMs: number): boolean
  /** For operators. */
  describe(nowMs: number): HealthReport
}

export type HealthReport = {
  readonly state: EngineView['state'] | 'draining' | 'disabled'
  readonly sinceMs: number
  readonly reason: string
  readonly level: number
  readonly probedMs: number | undefined
  /** Of the last minute, by kind. */
  readonly faults: Readonly<Record<string, { count: number; organizations: number }>>
}

export type HealthOptions = {
  readonly states: Pick<FleetStates, 'add' | 'view' | 'report'>
  /** Its name, server and model, separated by spaces. */
  readonly id: string
  readonly slots: number
  readonly workers?: Workers | undefined
  readonly now?: () => number
}

/** A first token may take this long, and four times what its prompt should take. */
const SLOW_MS = 2_000
const SLOW_FACTOR = 4
/** Shorter prompts measure the network. */
const MEASURED_TOKENS_MIN = 64
const RATE_WEIGHT = 0.1
/** The reason of an ejection that no request can cause. */
const REFUSED = 'refused'

/**
 * Health is progress: an engine that runs generations and sends no pieces for any of them is
 * stalled; a busy one always sends some. Everything else is the engine's state, which all processes
 * share. A tenant can cause most failures with its own requests, so those lead to a check only.
 */
export function createEngineHealth(options: HealthOptions): EngineHealth {
  const { id, slots, workers, now = () => performance.now() } = options
  const states = workers === 'many' ? reportByRate(options.states, now) : options.states
  const faults = createFaultLog()
  const progress = createProgress(now)
  const refusals = createRefusals()
  const recentFaults = countSinceReturn(faults, () => states.view(id))
  const prefill = createPrefillRate()
  states.add(id, slots)

  const incident = (kind: 'refused' | 'misconfigured', why: string) =>
    states.report({ kind, engine: id, why })
  const fault = (why: string, organizationId: string) =>
    states.report({ kind: 'fault', engine: id, why, organization: shortHash(organizationId) })

  return {
    get running() {
      return progress.running
    },
    get view() {
      return states.view(id)
    },
    get lastProgressMs() {
      return progress.lastMs
    },
    get ejections() {
      return states.view(id).ejections
    },
    faults: (nowMs) => recentFaults(nowMs),
    began: () => progress.began(),
    progressed: () => progress.progressed(),
    paused: () => progress.paused(),
    resumed: () => progress.resumed(),
    answered(tookMs, uncachedTokens, organizationId) {
      refusals.passed()
      if (uncachedTokens === undefined || !prefill.isSlow(tookMs, uncachedTokens)) return
      faults.add('slow', organizationId, now())
      fault('slow', organizationId)
    },
    ended: () => progress.ended(),
    unreachable: () => incident('refused', REFUSED),
    failed(error, organizationId) {
      const mayRefuseAll = error.kind === 'refused' && refusals.add(organizationId)
      const kind = mayRefuseAll ? 'fault' : classifyFault(error)
      if (kind === undefined) return
      faults.add(error.kind, organizationId, now())
      if (kind === 'fault') fault(error.kind, organizationId)
      else incident(kind, kind === 'refused' ? REFUSED : error.kind)
    },
    succeeded() {
      refusals.passed()
      states.report({ kind: 'succeeded', engine: id, count: 1, slots })
    },
    checked(result, why) {
      const others = Math.max(0, progress.running - 1)
      states.report({ kind: 'checked', engine: id, result, why, running: others, slots })
    },
    isHealthy: (nowMs) => isUsable(states.view(id)) && !progress.isStalled(nowMs),
    describe(nowMs) {
      const stalledMs = progress.isStalled(nowMs) ? progress.silentMs : undefined
      return { ...describeView(states.view(id), stalledMs), faults: faults.summary(nowMs) }
    },
  }
}

/** Recent faults; what failed before the engine came back says nothing about it. */
function countSinceReturn(faults: FaultLog, view: () => EngineView): (nowMs: number) => number {
  let warmingMs = 0
  return (nowMs) => {
    if (faults.recent(nowMs) === 0) return 0
    const { state, sinceMs } = view()
    if (state === 'warming' && sinceMs !== warmingMs) {
      warmingMs = sinceMs
      faults.passed()
    }
    return faults.recent(nowMs)
  }
}

function isUsable(view: EngineView): boolean {
  return isServing(view) && !view.isBlocked && view.order === undefined
}

/** `stalledMs`: since when it sent nothing, if it is stalled. */
function describeView(view: EngineView, stalledMs: number | undefined) {
  const { state, why, level, sinceMs, probedMs, order } = view
  const common = { level, sinceMs, probedMs }
  if (order === 'draining' || order === 'disabled')
    return { ...common, state: order, reason: 'ordered by an operator' } as const
  if (stalledMs !== undefined && isServing(view))
    return { ...common, state: 'suspect', reason: 'no output', sinceMs: stalledMs } as const
  return { ...common, state, reason: why }
}

/** How fast an engine reads prompts, as a moving average. */
function createPrefillRate() {
  /** Tokens per ms. */
  let rate: number | undefined
  return {
    /** Whether a first token took too long; counts it in any case. */
    isSlow(tookMs: number, uncachedTokens: number): boolean {
      const isSlow = rate !== undefined && tookMs > SLOW_MS + (SLOW_FACTOR * uncachedTokens) / rate
      if (uncachedTokens < MEASURED_TOKENS_MIN) return isSlow
      const measured = uncachedTokens / Math.max(1, tookMs)
      rate = rate === undefined ? measured : rate + (measured - rate) * RATE_WEIGHT
      return isSlow
    },
  }
}

import type { Config } from '../config/load.ts'
import { ERRORS } from '../contract/error.ts'
import { ENGINE_ERROR_KINDS } from '../engines/adapters/engine.ts'
import type { Discovery, GroupState } from '../engines/discovery/discovery.ts'
import type { Fleet } from '../engines/fleet/fleet.ts'
import type { FleetEvents } from '../engines/fleet/fleet-events.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import type { Call } from '../http/call.ts'
import type { RequestEnd } from '../http/request-end.ts'
import { countRequests } from '../http/request-metrics.ts'
import type { Counter, Meter } from '../lib/meter.ts'
import type { ContentLog } from '../store/content/content.ts'
import type { UsageLog } from '../store/usage/usage-log.ts'
import {
  ENGINE_STATES,
  type EngineState,
  type PoolState,
  type Traffic,
} from '../contract/management/operator-system.ts'
import type { UsageRecord } from '../tenancy/usage-record.ts'
import type { OpenTracing } from './open-tracing.ts'

/** Bounds of all histograms. */
const BUCKET_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600]

/** What the data plane counts. The values of labels are configured names, never a client's text. */
export type ApiMetrics = FleetEvents & {
  readonly onSettle: (record: UsageRecord) => void
  readonly onEnd: (call: Call, end: RequestEnd) => void
  readonly traffic: () => Traffic
}

export function createApiMetrics(meter: Meter, config: Config): ApiMetrics {
  const countRequest = countRequests(meter, Object.values(ERRORS))
  const models = createNamed((id) => createModelMetrics(meter, id))
  const refusals = createNamed((model) => createRefusals(meter, model))
  const engineErrors = createNamed((engine) => createEngineErrors(meter, engine))
  for (const { id } of config.models) models(id)
  for (const id of ['', ...config.models.map((model) => model.id)]) refusals(id)
  for (const { name, discover } of config.engines) if (discover === undefined) engineErrors(name)
  const traffic = countTraffic()
  return {
    traffic: traffic.read,
    onGeneration: (modelId) => models(modelId).generations.add(1),
    onError: ({ engine, kind }) => engineErrors(engine).errors.get(kind)?.add(1),
    onExcess: (engine, tokens) => engineErrors(engine).excess.add(tokens),
    onSettle(record) {
      models(record.model).settled(record)
      traffic.settled(record)
    },
    onEnd(call, end) {
      countRequest(end)
      traffic.ended(end)
      const { status, code } = end
      if (code !== null && status >= 400)
        refusals(call.model ?? '')
          .get(code)
          ?.add(1)
    },
  }
}

/** Sums over all models since the process started, for the overview of operators. */
function countTraffic() {
  const refusals: Record<string, number> = {}
  let [requests, outputTokens] = [0, 0]
  return {
    settled: (record: UsageRecord) => void (outputTokens += record.completionTokens),
    ended({ status, code }: RequestEnd) {
      requests += 1
      if (code !== null && status >= 400) refusals[code] = (refusals[code] ?? 0) + 1
    },
    read: (): Traffic => ({ requests, output_tokens: outputTokens, refusals: { ...refusals } }),
  }
}

/** Models and engines come and go; beyond this number further ones are counted together. */
const NAMES_MAX = 2_000
const OTHERS = 'other'

/** The series of each name, created when it is first needed. */
function createNamed<Series>(create: (name: string) => Series): (name: string) => Series {
  const known = new Map<string, Series>()
  return (name) => {
    const kept = known.has(name) || known.size < NAMES_MAX ? name : OTHERS
    const series = known.get(kept) ?? create(kept)
    known.set(kept, series)
    return series
  }
}

function createModelMetrics({ counter, histogram }: Meter, model: string) {
  const labels = { model }
  const firstToken = histogram(
    'headrace_time_to_first_token_seconds',
    "Time from admission to the engine's first output.",
    BUCKET_SECONDS,
    labels,
  )
  const queue = histogram(
    'headrace_queue_seconds',
    'Time from admission until a slot of an engine was taken.',
    BUCKET_SECONDS,
    labels,
  )
  const duration = histogram(
    'headrace_generation_seconds',
    'Time from taking a slot to the end of the generation.',
    BUCKET_SECONDS,
    labels,
  )
  const tokens = (kind: string) =>
    counter('headrace_tokens_total', 'Tokens of settled generations.', { ...labels, kind })
  const [input, cached] = [tokens('input'), tokens('cached')]
  const [output, reasoning] = [tokens('output'), tokens('reasoning')]
  return {
    generations: counter('headrace_generations_total', 'Generations that got a slot.', labels),
    settled(record: UsageRecord) {
      const { queuedMs, firstTokenMs, durationMs } = record
      const queuedSeconds = (queuedMs ?? 0) / 1000
      queue.record(queuedSeconds)
      if (firstTokenMs !== null) firstToken.record(firstTokenMs / 1000)
      duration.record((durationMs ?? 0) / 1000 - queuedSeconds)
      input.add(record.promptTokens)
      cached.add(record.cachedTokens)
      output.add(record.completionTokens)
      reasoning.add(record.reasoningTokens)
    },
  }
}

/** By model and error; the model is empty if none that is served was asked for. */
function createRefusals({ counter }: Meter, model: string): ReadonlyMap<string, Counter> {
  const description = 'Requests answered with an error, by its code.'
  const name = 'headrace_refusals_total'
  return new Map(
    Object.keys(ERRORS).map((code) => [code, counter(name, description, { model, code })]),
  )
}

function createEngineErrors({ counter }: Meter, engine: string) {
  const description = 'Generations that failed on an engine, retried or not.'
  const name = 'headrace_engine_errors_total'
  const errors: ReadonlyMap<string, Counter> = new Map(
    ENGINE_ERROR_KINDS.map((kind) => [kind, counter(name, description, { engine, kind })]),
  )
  const excess = counter(
    'headrace_engine_excess_tokens_total',
    'Tokens that an engine counted beyond what requests asked for and reserved; not charged.',
    { engine },
  )
  return { errors, excess }
}

/** A usage log whose settlements are reported as well. */
export function watchSettlements(
  usageLog: UsageLog,
  onSettle: (record: UsageRecord) => void,
): UsageLog {
  return {
    ...usageLog,
    settle(record, opened, charge) {
      onSettle(record)
      return usageLog.settle(record, opened, charge)
    },
  }
}

type Watched = {
  readonly bodyBudget: BodyBudget
  readonly fleet: Fleet
  readonly contentLog: ContentLog | undefined
  readonly usageLog: UsageLog
  readonly tracing: OpenTracing | undefined
  readonly discovery: Discovery
}

/** Adds what is read from the parts of the process whenever the page is. */
export function watchApi(
  meter: Meter,
  { fleet, bodyBudget, contentLog, usageLog, tracing, discovery }: Watched,
): void {
  const { watch } = meter
  watch('headrace_slots_in_use', 'Running generations.', () => fleet.slotsInUse())
  watch('headrace_prompt_caches_in_use', 'Engines whose cached prompts are reused.', () =>
    fleet.cachesInUse(),
  )
  watch('headrace_body_bytes', 'Request bodies in memory.', () => bodyBudget.used())
  watch(
    'headrace_content_dropped_records_total',
    'Content records dropped instead of stored.',
    () => contentLog?.counts().dropped ?? 0,
  )
  watch(
    'headrace_usage_unacknowledged_records_total',
    'Usage records that were written, but not acknowledged in time.',
    () => usageLog.unacknowledged(),
  )
  watch('headrace_usage_lost_total', 'Usage records that are only in the log.', () =>
    usageLog.lost(),
  )
  watch(
    'headrace_trace_spans_dropped_total',
    'Spans of traces that were not delivered to the collector.',
    () => tracing?.spans.dropped() ?? 0,
  )
  watchEngines(meter, fleet)
  watchPools(meter, fleet)
  watchDiscovery(meter, discovery)
}

function watchDiscovery({ watchBy }: Meter, discovery: Discovery): void {
  const byGroup = (name: string, description: string, read: (state: GroupState) => number) =>
    watchBy('group', `headrace_discovery_${name}`, description, () =>
      Object.fromEntries(
        Object.entries(discovery.states()).map(([group, state]) => [group, read(state)]),
      ),
    )
  byGroup('readable', '1 while the source of the group can be read, else 0.', ({ readable }) =>
    readable ? 1 : 0,
  )
  byGroup('engines', 'Engines that are known of the group.', ({ engines }) => engines ?? 0)
}

function watchEngines({ watchBy, watchEach }: Meter, fleet: Fleet): void {
  const byEngine = (name: string, description: string, read: (state: EngineState) => number) =>
    watchBy('engine', `headrace_engine_${name}`, description, () =>
      Object.fromEntries(
        Object.entries(fleet.states()).map(([engine, state]) => [engine, read(state)]),
      ),
    )
  byEngine('slots', 'Slots of the engine for this process.', ({ slots }) => slots)
  byEngine('slots_in_use', 'Generations on the engine.', ({ slots_in_use: used }) => used)
  byEngine('healthy', '1 while requests are sent to the engine, else 0.', ({ healthy }) =>
    healthy ? 1 : 0,
  )
  byEngine('ejections_total', 'Ejections of the engine.', ({ ejections }) => ejections)
  byEngine(
    'capacity',
    'Slots for all processes that the engine turned out to have.',
    ({ found, capacity, slots }) => found ?? capacity ?? slots,
  )
  byEngine(
    'leased',
    'Slots of the engine that this process holds.',
    ({ leased, slots_in_use: used }) => leased ?? used,
  )
  byEngine(
    'waiting_inside',
    'Requests that wait inside the engine; 0 unless this process watches it.',
    ({ waiting_inside: waiting }) => waiting ?? 0,
  )
  watchEach('headrace_engine_state', '1 for the state that the engine is in, else 0.', () =>
    Object.entries(fleet.states()).flatMap(([engine, { state, healthy }]) => {
      const current = state ?? (healthy ? 'ready' : 'ejected')
      return ENGINE_STATES.map(
        (each) => [{ engine, state: each }, each === current ? 1 : 0] as const,
      )
    }),
  )
  watchBy('model', 'headrace_model_engines_healthy', 'Healthy engines of the model.', () =>
    fleet.healthyEngines(),
  )
}

function watchPools({ watchBy, watchEach }: Meter, fleet: Fleet): void {
  const byModel = (name: string, description: string, read: (pool: PoolState) => number) =>
    watchBy('model', `headrace_pool_${name}`, description, () =>
      Object.fromEntries(Object.entries(fleet.pools()).map(([model, pool]) => [model, read(pool)])),
    )
  byModel('waiting', 'Requests that wait for a slot.', ({ waiting }) => waiting)
  byModel(
    'expected_wait_seconds',
    'How long a request that comes now would wait.',
    ({ expected_wait_seconds: seconds }) => seconds,
  )
  watchEach('headrace_pool_refusals_total', 'Requests that got no slot, by reason.', () =>
    Object.entries(fleet.pools()).flatMap(([model, { refusals }]) =>
      Object.entries(refusals).map(([reason, count]) => [{ model, reason }, count] as const),
    ),
  )
}

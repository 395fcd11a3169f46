import { Type, type Static } from 'typebox'
import { Money, name, nullable, Time } from './schemas.ts'

// What operators see of the service itself: processes, engines, configuration, ledger.

const Fingerprint = Type.String({
  description: 'SHA-256 of the settings that all processes share, without secrets.',
})

const LastReload = Type.Object(
  {
    count: Type.Integer({ minimum: 1, description: 'Reloads since the start of the process.' }),
    at: Time,
    result: Type.Enum(['applied', 'rejected']),
    problems: Type.Array(Type.String(), { description: 'Why it was rejected, by setting.' }),
  },
  { description: 'The last reload of the configuration; absent if there was none.' },
)
export type LastReload = Static<typeof LastReload>

const tally = Type.Integer({ minimum: 0 })

/** What a process has done since it started: from two readings one gets rates. */
export const Traffic = Type.Object({
  requests: Type.Integer({
    minimum: 0,
    description: 'Requests that ended, whatever became of them.',
  }),
  output_tokens: tally,
  refusals: Type.Record(Type.String(), tally, {
    description: 'Requests answered with an error, by its code.',
  }),
})
export type Traffic = Static<typeof Traffic>

export const ProcessStatus = Type.Object({
  kind: Type.Enum(['api', 'worker', 'console']),
  version: Type.String(),
  pid: Type.Optional(Type.Integer({ description: 'Process id on its machine.' })),
  started_at: Time,
  configuration: Fingerprint,
  reload: Type.Optional(LastReload),
  traffic: Type.Optional(Traffic),
})
export type ProcessStatus = Static<typeof ProcessStatus>

const REACHED = {
  url: Type.Union([Type.String(), Type.Null()], {
    description: 'Health port; null for the process that answers.',
  }),
  reachable: Type.Boolean(),
} as const

export const Process = Type.Object(
  {
    ...REACHED,
    status: Type.Union([ProcessStatus, Type.Null()], {
      description: 'Null if the process did not tell, because it is unreachable or too old.',
    }),
    differs: Type.Boolean({ description: 'Its configuration is not the one of this process.' }),
  },
  { $id: 'Process' },
)
export type Process = Static<typeof Process>

export const Processes = Type.Object({ data: Type.Array(Process) })

const counts = Type.Integer({ minimum: 0 })

export const ENGINE_STATES = [
  'ready',
  'suspect',
  'ejected',
  'trial',
  'warming',
  'misconfigured',
  'draining',
  'disabled',
] as const

/** What a process knows of how an engine works; null until it had a generation there. */
const figure = (description: string) =>
  Type.Optional(nullable(Type.Number({ minimum: 0, description })))

const EngineFaults = Type.Object({
  count: counts,
  organizations: Type.Integer({ minimum: 0, description: 'That saw one.' }),
})

export const EngineState = Type.Object({
  healthy: Type.Boolean({ description: 'Requests are sent to it.' }),
  slots: counts,
  slots_in_use: counts,
  ejections: Type.Integer({ minimum: 0, description: 'Since the start of the process.' }),
  state: Type.Optional(Type.Enum([...ENGINE_STATES])),
  since: Type.Optional(Time),
  reason: Type.Optional(Type.String({ description: 'Why it is in this state.' })),
  level: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The next ejection takes 5 s times one more.' }),
  ),
  capacity: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Slots of the configuration, for all processes.' }),
  ),
  found: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Slots that the engine turned out to have.' }),
  ),
  leased: Type.Optional(Type.Integer({ minimum: 0, description: 'Slots this process holds.' })),
  waiting_inside: Type.Optional(
    nullable(Type.Integer({ minimum: 0, description: 'As the engine reports it.' })),
  ),
  first_token_ms: figure('Time to the first token of a generation: a moving average.'),
  tokens_per_second: figure('Of one generation after its first token: a moving average.'),
  prefill_tokens_per_second: figure('Prompt tokens not cached, until the first token.'),
  cached_share: figure('Of the prompt tokens of recent generations, from 0 to 1.'),
  excess_tokens: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Tokens that the engine counted beyond what requests asked for and reserved, since the ' +
        'start of the process. They were not charged. Above 0: its counts are wrong.',
    }),
  ),
  conversations: Type.Optional(
    Type.Integer({ minimum: 0, description: 'That are placed on the engine.' }),
  ),
  exceptions: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Conversations that are not on their first choice.' }),
  ),
  faults: Type.Optional(
    Type.Record(Type.String(), EngineFaults, { description: 'By kind, of the last minute.' }),
  ),
  probed_at: Type.Optional(nullable(Time)),
  version: Type.Optional(nullable(Type.String({ description: 'Of the server software.' }))),
})
export type EngineState = Static<typeof EngineState>

export const HEAVIEST_MAX = 10

/** The queue of one model in a process. */
export const PoolState = Type.Object({
  waiting: counts,
  running: counts,
  expected_wait_seconds: Type.Number({ minimum: 0, description: 'For a request that comes now.' }),
  refusals: Type.Record(Type.String(), counts, { description: 'By reason, since the start.' }),
  tokens: Type.Integer({
    minimum: 0,
    description: 'Used by all organizations: uncached input and output. Halved every 5 minutes.',
  }),
  heaviest: Type.Array(Type.Object({ organization_id: Type.String(), tokens: counts }), {
    maxItems: HEAVIEST_MAX,
    description: 'The organizations that used most of these tokens.',
  }),
})
export type PoolState = Static<typeof PoolState>

const DiscoveryState = Type.Object({
  readable: Type.Boolean({ description: 'The source could be read the last time.' }),
  reason: nullable(Type.String()),
  engines: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Engines that are known; null if the source was never read.',
  }),
})

/** What the probe of an engine found; what it cannot know is missing. */
const Capability = Type.Union([Type.Boolean(), Type.Literal('unknown')])

/** What an API process answers at `/engines`. */
export const EnginesReport = Type.Object({
  discovery: Type.Optional(Type.Record(Type.String(), DiscoveryState)),
  engines: Type.Record(Type.String(), nullable(Type.Record(Type.String(), Capability))),
  states: Type.Optional(Type.Record(Type.String(), EngineState)),
  pools: Type.Optional(Type.Record(Type.String(), PoolState)),
})
export type EnginesReport = Static<typeof EnginesReport>

const Engine = Type.Object(
  {
    name: Type.String(),
    state: nullable(EngineState),
    missing: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'Capabilities that the engine lacks; null if it was not probed.',
    }),
  },
  { $id: 'Engine' },
)

const EnginesOfProcess = Type.Object(
  {
    ...REACHED,
    url: Type.String(),
    engines: Type.Array(Engine),
    pools: Type.Record(Type.String(), PoolState, { description: 'Queues by model.' }),
  },
  { $id: 'EnginesOfProcess' },
)
export type EnginesOfProcess = Static<typeof EnginesOfProcess>

const ORDERED_STATES = ['enabled', 'draining', 'disabled'] as const

/** What an operator ordered an engine to do. */
export const EngineOrder = Type.Object(
  {
    engine: Type.String(),
    state: Type.Enum([...ORDERED_STATES], {
      description:
        'Draining and disabled: it gets no new generations, and those that run finish. ' +
        'A disabled engine is not probed either.',
    }),
    since: nullable(Time),
    by: nullable(Type.String()),
    note: nullable(Type.String()),
  },
  { $id: 'EngineOrder' },
)
export type EngineOrder = Static<typeof EngineOrder>

export const NewEngineOrder = Type.Object(
  {
    state: Type.Enum([...ORDERED_STATES]),
    note: Type.Optional(name(200, 'Recorded in the audit log.')),
  },
  { additionalProperties: false },
)

export const EnginesOfProcesses = Type.Object({
  data: Type.Array(EnginesOfProcess),
  orders: Type.Array(EngineOrder),
  organizations: Type.Record(Type.String(), Type.String(), {
    description: 'Names of the heaviest organizations, by id.',
  }),
})

export const Plan = Type.Object(
  {
    name: Type.String(),
    default: Type.Boolean(),
    models: Type.Array(Type.String(), { description: 'Of the catalog.' }),
    credentials: Type.Array(Type.String()),
    ignored_parameters: Type.Array(Type.String()),
    billing: Type.String(),
    limits: Type.Record(Type.String(), Type.Integer()),
    concurrent_requests_per_model: Type.Record(Type.String(), Type.Integer()),
    weight: Type.Number(),
    priority: Type.String(),
    prices: Type.Record(
      Type.String(),
      Type.Object({ input: Money, cached_input: Money, output: Money }),
      { description: 'By model, for a million tokens.' },
    ),
  },
  { $id: 'Plan' },
)
export type Plan = Static<typeof Plan>

export const Plans = Type.Object({ data: Type.Array(Plan) })

export const Configuration = Type.Object(
  {
    fingerprint: Fingerprint,
    settings: Type.Object({}, { description: 'The settings in force, with secrets masked.' }),
    differing: Type.Array(Type.String(), {
      description: 'Health ports of processes with other settings.',
    }),
  },
  { $id: 'Configuration' },
)
export type Configuration = Static<typeof Configuration>

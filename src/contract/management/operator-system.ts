import { Type, type Static } from 'typebox'
import { Money, nullable, Time } from './schemas.ts'

// What operators see of the service itself: processes, engines, configuration, books.

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

export const ProcessStatus = Type.Object({
  kind: Type.Enum(['api', 'worker', 'console']),
  version: Type.String(),
  pid: Type.Optional(Type.Integer({ description: 'Process id on its machine.' })),
  started_at: Time,
  configuration: Fingerprint,
  reload: Type.Optional(LastReload),
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

export const EngineState = Type.Object({
  healthy: Type.Boolean({ description: 'Requests are sent to it.' }),
  slots: counts,
  slots_in_use: counts,
  ejections: Type.Integer({ minimum: 0, description: 'Since the start of the process.' }),
})
export type EngineState = Static<typeof EngineState>

const DiscoveryState = Type.Object({
  readable: Type.Boolean({ description: 'The source could be read the last time.' }),
  reason: nullable(Type.String()),
  engines: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Engines that are known; null if the source was never read.',
  }),
})

/** What an API process answers at `/engines`. */
export const EnginesReport = Type.Object({
  discovery: Type.Optional(Type.Record(Type.String(), DiscoveryState)),
  engines: Type.Record(Type.String(), nullable(Type.Record(Type.String(), Type.Boolean()))),
  states: Type.Optional(Type.Record(Type.String(), EngineState)),
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
  { ...REACHED, url: Type.String(), engines: Type.Array(Engine) },
  { $id: 'EnginesOfProcess' },
)
export type EnginesOfProcess = Static<typeof EnginesOfProcess>

export const EnginesOfProcesses = Type.Object({ data: Type.Array(EnginesOfProcess) })

export const Plan = Type.Object(
  {
    name: Type.String(),
    default: Type.Boolean(),
    models: Type.Array(Type.String(), { description: 'Of the catalog.' }),
    credentials: Type.Array(Type.String()),
    billing: Type.String(),
    limits: Type.Record(Type.String(), Type.Integer()),
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

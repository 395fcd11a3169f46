import { counted } from './counted.ts'
import type { EngineOrder } from '../api/routes.ts'
import type { MergedEngine } from '../../../src/contract/engines/merge-engine-states.ts'

const states: Readonly<Record<MergedEngine['state'], string>> = {
  ready: 'Ready',
  suspect: 'Suspect',
  ejected: 'Ejected',
  trial: 'On trial',
  warming: 'Warming up',
  misconfigured: 'Misconfigured',
  draining: 'Draining',
  disabled: 'Disabled',
}

/** What the dialog of an order says. */
type OrderWords = {
  readonly act: string
  readonly title: (engine: string) => string
  readonly text: string
  readonly done: (engine: string) => string
}

const orders: Readonly<Record<EngineOrder['state'], OrderWords>> = {
  draining: {
    act: 'Drain',
    title: (engine) => `Drain ${engine}?`,
    text: 'It gets no new requests. Running ones finish.',
    done: (engine) => `${engine} is draining.`,
  },
  disabled: {
    act: 'Disable',
    title: (engine) => `Disable ${engine}?`,
    text: 'It gets no new requests and is no longer checked. Running ones finish.',
    done: (engine) => `${engine} is disabled.`,
  },
  enabled: {
    act: 'Enable',
    title: (engine) => `Enable ${engine}?`,
    text: 'Requests are sent to it again as soon as it works.',
    done: (engine) => `${engine} is enabled.`,
  },
}

export const operatorEngines = {
  states,
  orders,
  title: 'Engines',
  sub: 'All API processes share engine states. Draining and disabling take effect everywhere.',
  what: 'Engines',
  caption: 'Engines with state, slots and speed',
  meta: (used: string, all: string) => `${used} of ${all} slots in use`,
  explained:
    'Filled: in use. Outlined: held by a process for its next requests. In engine: requests that ' +
    'wait inside the engine although they have a slot.',
  engine: 'Engine',
  state: 'State',
  slots: 'Slots',
  inside: 'In engine',
  waitingInside: 'Waiting in the engine',
  firstToken: 'First token',
  speed: 'Tokens/s',
  cached: 'Cached',
  capabilities: 'Capabilities',
  actions: 'Actions',
  actionsOf: (engine: string) => `Actions for ${engine}`,
  slotsOf: (engine: string) => `Slots of ${engine}`,
  usedOf: (used: string, all: string) => `${used} of ${all} used`,
  held: (count: string) => `${count} held`,
  found: (found: string, told: string) => `${found} of ${told} usable`,
  ordered: (note: string | null, by: string | null) =>
    [note === null || note === '' ? null : `“${note}”`, by]
      .filter((part) => part !== null)
      .join(' · '),
  unknown: 'Unknown',
  notProbed: 'Not probed',
  conforms: 'Nothing missing',
  missing: 'Missing:',
  faults: (count: string, kind: string, organizations: string) =>
    `${count} × ${kind}, ${organizations}`,
  organizations: (count: number) =>
    counted(count, { one: '# organization', other: '# organizations' }),
  unreachable: 'unreachable',
  milliseconds: (count: string) => `${count} ms`,
  none: 'No processes are configured.',
  noneText:
    'Name the health ports of the API processes in console.api_health_urls to see engines here.',
  queues: 'Queues',
  queuesCaption: 'Queues of all processes by model',
  model: 'Model',
  running: 'Running',
  waiting: 'Waiting',
  expected: 'Expected',
  seconds: (count: string) => `${count} s`,
  refused: 'Refused',
  refusedSince: 'Since the processes started: the queue was full, or the wait too long.',
  heaviest: 'Heaviest organizations',
  heaviestMeta: 'Share of the tokens of recent minutes',
  nobody: 'No tokens were used in recent minutes.',
  processes: 'Processes',
} as const

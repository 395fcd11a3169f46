import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config/load.ts'
import { TEMPLATE_COST_DEFAULT } from '../../contract/prompt-bound.ts'
import {
  startDiscovery,
  type Discovery,
  type GroupSettings,
} from '../../engines/discovery/discovery.ts'
import type { Fleet } from '../../engines/fleet/fleet.ts'
import type { Call } from '../../http/call.ts'
import type { Catalog } from '../../inference/catalog.ts'
import { traceError, type Log } from '../../lib/log.ts'
import type { EngineConnector } from '../connect-engines.ts'
import { askSlots, type ReportedSlots } from './ask-slots.ts'
import { expandEngines } from './expand-engines.ts'
import { abilitiesOf } from './model-abilities.ts'
import { readCatalog } from '../read-catalog.ts'
import type { Vocabularies } from '../read-vocabularies.ts'
import type { CapabilityWatch } from '../watch-capabilities.ts'

type Handle = (call: Call) => Promise<void>

/** What clients are served with: everything that is made of models, engines and plans. */
export type Serving = {
  /** A call is handled from start to end with what is in force when it arrives. */
  readonly handle: Handle
  readonly discovery: Discovery
  /** Throws a ConfigError, and changes nothing, if a file that it names cannot be read. */
  readonly apply: (next: Config) => Promise<void>
}

export type ServingParts = {
  readonly readVocabularies: (config: Config) => Vocabularies
  readonly connector: EngineConnector
  readonly fleet: Pick<Fleet, 'update'>
  /** Undefined if engines are not probed. */
  readonly capabilities: CapabilityWatch | undefined
  readonly handlerFor: (config: Config, catalog: Catalog) => Handle
  readonly log: Log
}

/** How long a start or a reload waits for engines and sources that do not answer. */
const FIRST_WAIT_MS = 5_000
/** The same for engines that are discovered later. */
const LATER_WAIT_MS = 500

/**
 * Serves with a configuration and the engines that are discovered for it. Both may change at any
 * time: what is made from them is then made anew and replaced in one step.
 */
export async function openServing(initial: Config, parts: ServingParts): Promise<Serving> {
  const { readVocabularies, connector, fleet, capabilities, handlerFor, log } = parts
  const reportedSlots: ReportedSlots = new Map()
  let config = initial
  let handle: Handle = () => Promise.reject(new Error('nothing is served yet'))
  let changing = Promise.resolve()
  let isChangeQueued = false

  /** What can fail comes first: only then everything changes, in one step. */
  async function build(next: Config, waitMs: number): Promise<void> {
    const expanded = expandEngines(next, discovery.found())
    const known = { ...expanded, engines: await askSlots(expanded.engines, reportedSlots) }
    const engines = connector.connect(known, next)
    const vocabularies = readVocabularies(next)
    await capabilities?.watch({ engines, vocabularies }, waitMs)
    const templateCostOf = (modelId: string) =>
      capabilities?.templateCostOf(engines.get(modelId) ?? []) ?? (() => TEMPLATE_COST_DEFAULT)
    const { unknownModels } = known
    const catalog = readCatalog(next, vocabularies, {
      unknownModels,
      templateCostOf,
      abilitiesOf: (modelId) => abilitiesOf(engines.get(modelId) ?? []),
    })
    const handler = handlerFor(next, catalog)
    fleet.update(engines, known.weights)
    handle = handler
    config = next
  }

  function onDiscovered(): void {
    if (isChangeQueued) return
    isChangeQueued = true
    changing = changing.then(async () => {
      isChangeQueued = false
      await build(config, LATER_WAIT_MS).catch((error: unknown) =>
        log.error({ error: traceError(error) }, 'discovered engines not applied'),
      )
    })
  }

  async function replaceAfter(earlier: Promise<void>, next: Config): Promise<void> {
    await earlier
    // First, because a file that cannot be read must change nothing.
    readVocabularies(next)
    discovery.follow(groupsOf(next))
    try {
      await Promise.race([discovery.settled(), pause(FIRST_WAIT_MS, undefined, { ref: false })])
      await build(next, FIRST_WAIT_MS)
    } catch (error) {
      discovery.follow(groupsOf(config))
      throw error
    }
  }

  const discovery = startDiscovery(onDiscovered, log)
  const serving: Serving = {
    handle: (call) => handle(call),
    discovery,
    apply(next) {
      const applied = replaceAfter(changing, next)
      changing = applied.catch(() => undefined)
      return applied
    },
  }
  await serving.apply(initial)
  return serving
}

export function groupsOf({ engines }: Config): GroupSettings[] {
  return engines.flatMap(({ name, discover }) =>
    discover === undefined ? [] : [{ name, ...discover }],
  )
}

import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { TEMPLATE_COST_DEFAULT, type TemplateCost } from '../contract/prompt-bound.ts'
import { EngineError, type Engine } from '../engines/adapters/engine.ts'
import {
  CAPABILITIES,
  probeEngine,
  type Capabilities,
} from '../engines/adapters/probe/probe-engine.ts'
import { learnTokens } from '../engines/adapters/learn-tokens.ts'
import { dearestOf, measureTemplate } from '../engines/adapters/template/measure-template.ts'
import type { Vocabulary } from '../engines/adapters/vocabulary.ts'
import { traceError, type Log } from '../lib/log.ts'
import type { SharedProbes } from '../store/fleet/shared-probes.ts'
import { vocabulariesOf, type Vocabularies } from './read-vocabularies.ts'

type Probed = Capabilities & { readonly control_tokens: boolean }

/** Capabilities by engine name; null until the engine has been probed. */
export type CapabilitiesByEngine = ReadonlyMap<string, Probed | null>

export type EnginesToWatch = {
  /** By model id. */
  readonly engines: ReadonlyMap<string, readonly Engine[]>
  readonly vocabularies: Vocabularies
}

export type CapabilityWatch = {
  readonly capabilities: CapabilitiesByEngine
  /**
   * What the chat template of a model with these engines adds to prompts: the most of any of them,
   * and at least the default while one of them has not told.
   */
  readonly templateCostOf: (engines: readonly Engine[]) => () => TemplateCost
  /**
   * Watches these engines from now on. Resolves when each new one has been asked for its tokens and
   * its template, or after the given time: before, tokens of unusual form would pass, and what a
   * template adds would be assumed.
   */
  watch(next: EnginesToWatch, waitMs: number): Promise<void>
  /** What all processes know of an engine does not count any more. */
  readonly forget: (engine: Engine) => Promise<void>
  /** Asks and probes an engine again, if it is watched. */
  readonly repeat: (engine: Engine) => void
}

/** Retry interval while an engine is still starting. */
const RETRY_MS = 5_000

/** An engine that is watched, and the vocabularies that its tokens belong to. */
type Watching = { readonly of: Vocabularies; readonly ending: AbortController }

/**
 * Asks every engine for its control tokens and, unless another process has, probes it in the
 * background, as soon as it can be reached, until the signal aborts. What is missing appears in the
 * log and at the health port.
 */
export function watchCapabilities(
  probes: SharedProbes,
  log: Log,
  signal: AbortSignal,
  onLearned: (engine: Engine) => void,
): CapabilityWatch {
  const capabilities = new Map<string, Probed | null>()
  const watching = new Map<Engine, Watching>()
  const templates = createTemplates()

  async function start(engine: Engine, vocabularies: Vocabularies): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ending = new AbortController()
    watching.set(engine, { of: vocabularies, ending })
    if (!capabilities.has(engine.name)) capabilities.set(engine.name, null)
    const either = AbortSignal.any([signal, ending.signal])
    const note = (probed: Probed) => {
      if (either.aborted) return
      engine.learn(probed)
      capabilities.set(engine.name, probed)
      onLearned(engine)
    }
    const noteTemplate = (cost: TemplateCost | null) => templates.note(engine, cost)
    const noting = { note, noteTemplate, onAsked: resolve }
    void watch({ engine, vocabularies, ...noting, probes, log }, either)
    await promise
  }

  return {
    capabilities,
    templateCostOf: (engines) => templates.costOf(engines),
    async watch({ engines: enginesOf, vocabularies }, waitMs) {
      const engines = new Set([...enginesOf.values()].flat())
      const names = new Set([...engines].map(({ name }) => name))
      for (const [engine, { ending }] of watching) {
        if (engines.has(engine)) continue
        ending.abort()
        watching.delete(engine)
        templates.note(engine, null)
        if (!names.has(engine.name)) capabilities.delete(engine.name)
      }
      const reads: Promise<void>[] = []
      for (const engine of engines) {
        const own = vocabulariesOf(engine, enginesOf, vocabularies)
        const known = watching.get(engine)
        if (known !== undefined && isSame([...known.of.values()], [...own.values()])) continue
        known?.ending.abort()
        reads.push(start(engine, own))
      }
      if (reads.length === 0) return
      await Promise.race([Promise.all(reads), pause(waitMs, undefined, { ref: false })])
    },
    async forget(engine) {
      await Promise.all([probes.forget(keyOf(engine)), probes.forget(templateKeyOf(engine))])
    },
    repeat(engine) {
      const known = watching.get(engine)
      known?.ending.abort()
      if (known !== undefined) void start(engine, known.of)
    },
  }
}

/** What is known of the chat templates of engines. */
function createTemplates() {
  /** Those of engines that do not count are not in it. */
  const known = new Map<Engine, TemplateCost>()
  let changes = 0
  return {
    /** Null if the engine does not count. */
    note(engine: Engine, cost: TemplateCost | null) {
      if (cost === null) known.delete(engine)
      else known.set(engine, cost)
      changes += 1
    },
    costOf(engines: readonly Engine[]) {
      let [dearest, changesThen]: [TemplateCost, number] = [TEMPLATE_COST_DEFAULT, -1]
      return () => {
        if (changesThen === changes) return dearest
        changesThen = changes
        dearest = dearestOf(engines.map((each) => known.get(each) ?? TEMPLATE_COST_DEFAULT))
        return dearest
      }
    },
  }
}

/** The result depends on all of these. */
function keyOf(engine: Engine): string {
  const { name, server, modelName, slots, promptCache, declared, organizationId, workers } = engine
  const settings = JSON.stringify([CAPABILITIES, declared, organizationId, workers])
  const probed = crc32(settings).toString(36)
  return [probed, name, server, modelName, slots, promptCache].join(' ')
}

/** It does not depend on slots and caches. */
function templateKeyOf({ name, server, modelName }: Engine): string {
  return ['template', name, server, modelName].join(' ')
}

function isSame(some: readonly Vocabulary[], others: readonly Vocabulary[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index])
}

type Watched = {
  readonly engine: Engine
  readonly vocabularies: Vocabularies
  readonly log: Log
  /** It was asked for tokens and template, whatever came of it. */
  readonly onAsked: () => void
  readonly note: (probed: Probed) => void
  readonly noteTemplate: (cost: TemplateCost | null) => void
  readonly probes: SharedProbes
}

async function watch(watched: Watched, signal: AbortSignal): Promise<void> {
  const { engine, probes, log } = watched
  let tokens: boolean | undefined
  while (!signal.aborted) {
    try {
      tokens ??= await askEngine(watched, signal).finally(watched.onAsked)
      const probe = () => probeEngine(engine)
      const capabilities = await probes.share(keyOf(engine), probe, signal)
      watched.note({ ...capabilities, control_tokens: tokens })
      const missing = CAPABILITIES.filter((capability) => capabilities[capability] !== true)
      if (missing.length > 0)
        log.warn({ engine: engine.name, missing }, 'engine is missing capabilities')
      return
    } catch (error) {
      if (!(error instanceof EngineError) || signal.aborted) return
      log.warn({ engine: engine.name, error: traceError(error) }, 'engine unreachable, retrying')
    }
    await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Asks for tokens and template; returns what `readTokens` does. */
async function askEngine(watched: Watched, signal: AbortSignal): Promise<boolean> {
  const { engine, probes } = watched
  const tokens = await readTokens(watched)
  const measure = async () => (await measureTemplate(engine)) ?? null
  watched.noteTemplate(await probes.share(templateKeyOf(engine), measure, signal))
  return tokens
}

/** Whether the tokens of all models of the engine are known and none survives. */
async function readTokens({ engine, vocabularies, log }: Watched): Promise<boolean> {
  const { known, surviving } = await learnTokens(engine, [...vocabularies.values()])
  for (const [model, vocabulary] of vocabularies)
    if (!vocabulary.isKnown()) log.warn({ engine: engine.name, model }, 'control tokens unknown')
  if (surviving.length > 0)
    log.error({ engine: engine.name, count: surviving.length }, 'control tokens not broken up')
  return known && surviving.length === 0
}

import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { EngineError, type Engine } from '../engines/adapters/engine.ts'
import { CAPABILITIES, probeEngine, type Capabilities } from '../engines/adapters/probe-engine.ts'
import { learnTokens } from '../engines/adapters/learn-tokens.ts'
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
   * Watches these engines from now on. Resolves when each new one whose models' tokens are unknown
   * has been asked for them, or after the given time: before, tokens of unusual form would pass.
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
): CapabilityWatch {
  const capabilities = new Map<string, Probed | null>()
  const watching = new Map<Engine, Watching>()

  async function start(engine: Engine, vocabularies: Vocabularies): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ending = new AbortController()
    watching.set(engine, { of: vocabularies, ending })
    if (!capabilities.has(engine.name)) capabilities.set(engine.name, null)
    const either = AbortSignal.any([signal, ending.signal])
    const note = (probed: Probed) => {
      if (!either.aborted) capabilities.set(engine.name, probed)
    }
    void watch({ engine, vocabularies, onTokens: resolve, note, probes, log }, either)
    await promise
  }

  return {
    capabilities,
    async watch({ engines: enginesOf, vocabularies }, waitMs) {
      const engines = new Set([...enginesOf.values()].flat())
      const names = new Set([...engines].map(({ name }) => name))
      for (const [engine, { ending }] of watching) {
        if (engines.has(engine)) continue
        ending.abort()
        watching.delete(engine)
        if (!names.has(engine.name)) capabilities.delete(engine.name)
      }
      const reads: Promise<void>[] = []
      for (const engine of engines) {
        const own = vocabulariesOf(engine, enginesOf, vocabularies)
        const known = watching.get(engine)
        if (known !== undefined && isSame([...known.of.values()], [...own.values()])) continue
        known?.ending.abort()
        const read = start(engine, own)
        if ([...own.values()].some((vocabulary) => !vocabulary.isKnown())) reads.push(read)
      }
      if (reads.length === 0) return
      await Promise.race([Promise.all(reads), pause(waitMs, undefined, { ref: false })])
    },
    forget: (engine) => probes.forget(keyOf(engine)),
    repeat(engine) {
      const known = watching.get(engine)
      known?.ending.abort()
      if (known !== undefined) void start(engine, known.of)
    },
  }
}

/** The result depends on all of these. */
function keyOf({ name, server, modelName, slots, promptCache }: Engine): string {
  const probed = crc32(CAPABILITIES.join()).toString(36)
  return [probed, name, server, modelName, slots, promptCache].join(' ')
}

function isSame(some: readonly Vocabulary[], others: readonly Vocabulary[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index])
}

type Watched = {
  readonly engine: Engine
  readonly vocabularies: Vocabularies
  readonly log: Log
  readonly onTokens: () => void
  readonly note: (probed: Probed) => void
  readonly probes: SharedProbes
}

async function watch(watched: Watched, signal: AbortSignal): Promise<void> {
  const { engine, probes, log } = watched
  let tokens: boolean | undefined
  while (!signal.aborted) {
    try {
      tokens ??= await readTokens(watched).finally(watched.onTokens)
      const probe = () => probeEngine(engine)
      const capabilities = await probes.share(keyOf(engine), probe, signal)
      watched.note({ ...capabilities, control_tokens: tokens })
      const missing = CAPABILITIES.filter((capability) => !capabilities[capability])
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

/** Whether the tokens of all models of the engine are known and none survives. */
async function readTokens({ engine, vocabularies, log }: Watched): Promise<boolean> {
  const { known, surviving } = await learnTokens(engine, [...vocabularies.values()])
  for (const [model, vocabulary] of vocabularies)
    if (!vocabulary.isKnown()) log.warn({ engine: engine.name, model }, 'control tokens unknown')
  if (surviving.length > 0)
    log.error({ engine: engine.name, count: surviving.length }, 'control tokens not broken up')
  return known && surviving.length === 0
}

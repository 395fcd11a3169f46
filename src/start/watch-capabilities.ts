import { setTimeout as pause } from 'node:timers/promises'
import { EngineError, type Engine } from '../engines/adapters/engine.ts'
import { CAPABILITIES, probeEngine, type Capabilities } from '../engines/adapters/probe-engine.ts'
import { learnTokens } from '../engines/adapters/learn-tokens.ts'
import { traceError, type Log } from '../lib/log.ts'
import { vocabulariesOf, type Vocabularies } from './read-vocabularies.ts'

type Probed = Capabilities & { readonly control_tokens: boolean }

/** Capabilities by engine name; null until the engine has been probed. */
export type CapabilitiesByEngine = ReadonlyMap<string, Probed | null>

export type EnginesToWatch = {
  /** By model id. */
  readonly engines: ReadonlyMap<string, readonly Engine[]>
  readonly vocabularies: Vocabularies
}

export type WatchedEngines = {
  readonly capabilities: CapabilitiesByEngine
  /**
   * Resolves when each engine has been asked for its control tokens once, or after 5 s. Before,
   * tokens of unusual form would pass.
   */
  readonly tokensRead: Promise<void>
}

/** Retry interval while an engine is still starting. */
const RETRY_MS = 5_000
/** A process starts without the tokens of an engine that does not answer in this time. */
const TOKENS_WAIT_MS = 5_000

/**
 * Asks every engine for its control tokens and probes it in the background, as soon as it can be
 * reached, until the signal aborts. What is missing appears in the log and at the health port.
 */
export function watchCapabilities(
  { engines: enginesOf, vocabularies }: EnginesToWatch,
  log: Log,
  signal: AbortSignal,
): WatchedEngines {
  const capabilities = new Map<string, Probed | null>()
  const engines = new Set([...enginesOf.values()].flat())
  const reads = [...engines].map((engine) => {
    capabilities.set(engine.name, null)
    const { promise, resolve } = Promise.withResolvers<void>()
    const note = (probed: Probed) => void capabilities.set(engine.name, probed)
    const own = vocabulariesOf(engine, enginesOf, vocabularies)
    void watch({ engine, vocabularies: own, onTokens: resolve, note, log }, signal)
    return promise
  })
  const wait = pause(TOKENS_WAIT_MS, undefined, { ref: false })
  const tokensRead = Promise.race([Promise.all(reads), wait]).then(() => undefined)
  return { capabilities, tokensRead }
}

type Watched = {
  readonly engine: Engine
  readonly vocabularies: Vocabularies
  readonly log: Log
  readonly onTokens: () => void
  readonly note: (probed: Probed) => void
}

async function watch(watched: Watched, signal: AbortSignal): Promise<void> {
  const { engine, log } = watched
  let tokens: boolean | undefined
  while (!signal.aborted) {
    try {
      tokens ??= await readTokens(watched).finally(watched.onTokens)
      const capabilities = await probeEngine(engine)
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

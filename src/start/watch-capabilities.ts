import { setTimeout as pause } from 'node:timers/promises'
import { EngineError, type Engine } from '../engines/adapters/engine.ts'
import { ABILITIES, probeEngine, type Conformance } from '../engines/adapters/probe-engine.ts'
import { traceError, type Log } from '../lib/log.ts'

/** What is known of each engine so far; null while it has not been reached. */
export type Conformances = Map<string, Conformance | null>

/** An engine that is still starting is asked again after this. */
const RETRY_MS = 5_000

/**
 * Probes every engine once it can be reached, beside the requests, until the signal ends it. What
 * an engine cannot do is told in the log and at the health port, where someone can act on it.
 */
export function watchConformance(
  engines: ReadonlySet<Engine>,
  log: Log,
  signal: AbortSignal,
): Conformances {
  const known: Conformances = new Map()
  for (const engine of engines) {
    known.set(engine.name, null)
    void watch(engine, known, log, signal)
  }
  return known
}

async function watch(
  engine: Engine,
  known: Conformances,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const conformance = await probeEngine(engine)
      known.set(engine.name, conformance)
      const missing = ABILITIES.filter((ability) => !conformance[ability])
      if (missing.length > 0) log.warn({ engine: engine.name, missing }, 'engine falls short')
      return
    } catch (error) {
      if (!(error instanceof EngineError) || signal.aborted) return
      log.warn({ engine: engine.name, error: traceError(error) }, 'engine not reached')
    }
    await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

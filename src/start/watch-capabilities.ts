import { setTimeout as pause } from 'node:timers/promises'
import { EngineError, type Engine } from '../engines/adapters/engine.ts'
import { CAPABILITIES, probeEngine, type Capabilities } from '../engines/adapters/probe-engine.ts'
import { traceError, type Log } from '../lib/log.ts'

/** Capabilities by engine name; null until the engine has been probed. */
export type CapabilitiesByEngine = Map<string, Capabilities | null>

/** Retry interval while an engine is still starting. */
const RETRY_MS = 5_000

/**
 * Probes every engine in the background, as soon as it can be reached, until the signal aborts.
 * Missing capabilities appear in the log and at the health port.
 */
export function watchCapabilities(
  engines: ReadonlySet<Engine>,
  log: Log,
  signal: AbortSignal,
): CapabilitiesByEngine {
  const known: CapabilitiesByEngine = new Map()
  for (const engine of engines) {
    known.set(engine.name, null)
    void watch(engine, known, log, signal)
  }
  return known
}

async function watch(
  engine: Engine,
  known: CapabilitiesByEngine,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const capabilities = await probeEngine(engine)
      known.set(engine.name, capabilities)
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

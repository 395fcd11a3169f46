import type { Config } from '../config/load.ts'
import { inspectEngine } from '../engines/adapters/inspect-engine.ts'

const TIMEOUT_MS = 2_000

/**
 * Replaces `slots: auto` by what the engines report. An engine that does not answer, or does not
 * report it, stays as it is and gets the default of its kind.
 */
export async function askSlots(config: Config): Promise<Config> {
  const engines = config.engines.map(async (engine) => {
    if (engine.slots !== 'auto') return engine
    const asked = { ...engine, apiKey: engine.api_key }
    const found = await inspectEngine(asked, AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined)
    return { ...engine, slots: found?.slots ?? engine.slots }
  })
  return { ...config, engines: await Promise.all(engines) }
}

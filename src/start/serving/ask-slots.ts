import { inspectEngine } from '../../engines/adapters/inspect-engine.ts'
import type { KnownEngine } from './expand-engines.ts'

const TIMEOUT_MS = 2_000

/** What engines with `slots: auto` reported, by their URL. */
export type ReportedSlots = Map<string, number>

/**
 * Replaces `slots: auto` by what the engines report, which is asked once. An engine that does not
 * answer, or does not report it, stays as it is and gets the default of its kind.
 */
export function askSlots(
  engines: readonly KnownEngine[],
  reported: ReportedSlots,
): Promise<KnownEngine[]> {
  const asking = engines.map(async (engine) => {
    if (engine.slots !== 'auto') return engine
    const known = reported.get(engine.url) ?? (await ask(engine))
    if (known === undefined) return engine
    reported.set(engine.url, known)
    return { ...engine, slots: known }
  })
  return Promise.all(asking)
}

async function ask(engine: KnownEngine): Promise<number | undefined> {
  const asked = { ...engine, apiKey: engine.api_key }
  const found = await inspectEngine(asked, AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined)
  return found?.slots
}

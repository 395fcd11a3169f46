import { EngineError, type Generation } from '../engines/adapters/engine.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import { NOTHING_USED, type UsageBasis, type UsageCounts } from '../tenancy/usage-record.ts'
import type { Estimate } from './estimate.ts'

/**
 * Longer than a connect timeout, so that an engine that is gone is known to be; shorter than the
 * time that a stopping process waits for usage records.
 */
const COUNT_TIMEOUT_MS = 4_000

/** The engine does not answer, so it is taken to have lost the prompt. */
const GONE: ReadonlySet<string> = new Set(['connection', 'transport'])

/** What a request used, and who counted it. */
export type Bill = { readonly basis: UsageBasis; readonly counts: UsageCounts }

export const NOTHING_BILLED: Bill = { basis: 'none', counts: NOTHING_USED }

/**
 * The usage of a request whose client left before the engine reported any counts: the prompt, once
 * the engine has it. The engine counts it; if it cannot, the estimate is used. Counting is bounded
 * and needs no slot. Whether an engine had the prompt in its cache is unknown, so nothing is billed
 * as cached.
 */
export async function billPrompt(
  { engine, isSent }: Pick<Slot, 'engine' | 'isSent'>,
  generation: Generation,
  { inputTokens }: Pick<Estimate, 'inputTokens'>,
): Promise<Bill> {
  if (!isSent) return NOTHING_BILLED
  const estimated: Bill = { basis: 'none', counts: { ...NOTHING_USED, promptTokens: inputTokens } }
  // The messages are released when an engine begins to answer, even if it reports no counts.
  const { promptTokens: known, request } = generation
  if (known === undefined && request.messages.length === 0) return estimated
  try {
    const signal = AbortSignal.timeout(COUNT_TIMEOUT_MS)
    const counted = known ?? (await engine.countPrompt(generation, signal))
    return { basis: 'engine_partial', counts: { ...NOTHING_USED, promptTokens: counted } }
  } catch (error) {
    const isTimeout = error instanceof DOMException
    if (!isTimeout && !(error instanceof EngineError)) throw error
    // An engine that is gone has lost the prompt; the client does not pay for that.
    if (!isTimeout && GONE.has(error.kind)) return NOTHING_BILLED
    return estimated
  }
}

import { ClientGone } from '../http/call.ts'
import type { Slot } from '../engines/fleet.ts'
import type { PieceBatch, TokenCounts } from '../engines/piece.ts'
import type { Admission } from './admit.ts'

/** How one admitted generation ended, in counts of the engine's own. Never content. */
export type Settlement = {
  readonly requestId: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly model: string
  readonly engine: string
  readonly outcome: 'completed' | 'failed' | 'abandoned'
  /** `engine`: its final counts; `engine_partial`: its last word before the stream broke off. */
  readonly basis: 'engine' | 'engine_partial' | 'none'
  readonly counts: TokenCounts
}

export type UsageLog = { settle(settlement: Settlement): Promise<void> }

const NOTHING: TokenCounts = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/**
 * Passes pieces through and settles exactly once, however the generation ends: completed, failed,
 * or abandoned by the client. A completed one is settled before its last piece goes out, so that
 * no client has seen an end that was not counted.
 */
export async function* settle(
  batches: AsyncIterable<PieceBatch>,
  admission: Admission,
  model: string,
  slot: Slot,
  usageLog: UsageLog,
  signal: AbortSignal,
): AsyncGenerator<PieceBatch, void> {
  const { caller, requestId } = admission
  const { organizationId, projectId, credentialId } = caller
  const known = { requestId, organizationId, projectId, credentialId, model }
  let settled = false
  let progress: TokenCounts | undefined
  try {
    for await (const batch of batches) {
      progress = batch.progress ?? progress
      const last = batch.pieces.at(-1)
      if (last?.type === 'usage') {
        settled = true
        const counts = last.usage
        const ended = { outcome: 'completed', basis: 'engine', counts } as const
        await usageLog.settle({ ...known, engine: slot.engine.name, ...ended })
      }
      yield batch
    }
  } finally {
    if (!settled) {
      const outcome = signal.reason instanceof ClientGone ? 'abandoned' : 'failed'
      const basis = progress === undefined ? 'none' : 'engine_partial'
      const ended = { outcome, basis, counts: progress ?? NOTHING } as const
      await usageLog.settle({ ...known, engine: slot.engine.name, ...ended })
    }
  }
}

import type { FinishReason } from '../contract/chat-response.ts'
import { ClientGone } from '../http/call.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import type { PieceBatch } from '../engines/adapters/piece.ts'
import type { UsageCounts } from '../tenancy/usage-record.ts'
import { NOTHING_BILLED, type Bill } from './bill-prompt.ts'
import type { OpenUsage } from './track-usage.ts'

/**
 * Passes pieces through and settles exactly once, however the generation ends: completed, failed,
 * or abandoned by the client. A completed one is settled before its last piece is sent, so that no
 * client sees the end of a generation that was not counted. One that the client abandoned before
 * the engine's first piece costs its prompt, as `billPrompt` returns it; a failed one does not.
 */
export async function* settle(
  batches: AsyncIterable<PieceBatch>,
  usage: OpenUsage,
  slot: Slot,
  signal: AbortSignal,
  billPrompt: () => Promise<Bill>,
): AsyncGenerator<PieceBatch, void> {
  const sinceAdmission = () => Math.round(performance.now() - usage.admittedMs)
  const queuedMs = sinceAdmission()
  let firstPieceMs: number | null = null
  let progress: UsageCounts | undefined
  let finishReason: FinishReason | undefined
  let settled = false
  try {
    for await (const batch of batches) {
      firstPieceMs ??= sinceAdmission()
      if (batch.progress !== undefined) {
        progress = batch.progress
        usage.checkpoint(progress)
      }
      finishReason ??= finishIn(batch)
      const last = batch.pieces.at(-1)
      if (last?.type === 'usage') {
        settled = true
        const ended = { outcome: 'completed', basis: 'engine', counts: last.usage } as const
        await usage.settle({ ...servedBy(slot), queuedMs, firstPieceMs, ...ended }, finishReason)
      }
      yield batch
    }
  } finally {
    if (!settled) {
      const abandoned = signal.reason instanceof ClientGone
      const outcome = abandoned ? 'abandoned' : 'failed'
      // After an abandoned generation no client is waiting, and the slot is free for others.
      if (abandoned) slot[Symbol.dispose]()
      const leftEarly = abandoned && firstPieceMs === null
      const unreported = () => (leftEarly ? billPrompt() : NOTHING_BILLED)
      const bill = progress === undefined ? await unreported() : partial(progress)
      const ended = { outcome, queuedMs, firstPieceMs, ...bill } as const
      const writing = usage.settle({ ...servedBy(slot), ...ended }, finishReason)
      if (!abandoned) await writing
    }
  }
}

/** Nothing but the usage follows a finish. */
function finishIn({ pieces }: PieceBatch): FinishReason | undefined {
  const piece = pieces.at(pieces.at(-1)?.type === 'usage' ? -2 : -1)
  return piece?.type === 'finish' ? piece.reason : undefined
}

function servedBy({ engine, attempts }: Slot) {
  return { engine: engine.name, attempts }
}

function partial(counts: UsageCounts): Bill {
  return { basis: 'engine_partial', counts }
}

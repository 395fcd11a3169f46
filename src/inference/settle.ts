import { ClientGone } from '../http/call.ts'
import type { Slot } from '../engines/fleet/fleet.ts'
import type { PieceBatch } from '../engines/adapters/piece.ts'
import { NOTHING_USED, type UsageCounts } from '../tenancy/usage-record.ts'
import type { OpenUsage } from './track-usage.ts'

/**
 * Passes pieces through and settles exactly once, however the generation ends: completed, failed,
 * or abandoned by the client. A completed one is settled before its last piece is sent, so that no
 * client sees the end of a generation that was not counted.
 */
export async function* settle(
  batches: AsyncIterable<PieceBatch>,
  usage: OpenUsage,
  slot: Slot,
  signal: AbortSignal,
): AsyncGenerator<PieceBatch, void> {
  const sinceAdmission = () => Math.round(performance.now() - usage.admittedMs)
  const queuedMs = sinceAdmission()
  let firstPieceMs: number | null = null
  let progress: UsageCounts | undefined
  let settled = false
  try {
    for await (const batch of batches) {
      firstPieceMs ??= sinceAdmission()
      if (batch.progress !== undefined) {
        progress = batch.progress
        usage.checkpoint(progress)
      }
      const last = batch.pieces.at(-1)
      if (last?.type === 'usage') {
        settled = true
        const ended = { outcome: 'completed', basis: 'engine', counts: last.usage } as const
        await usage.settle({ engine: slot.engine.name, queuedMs, firstPieceMs, ...ended })
      }
      yield batch
    }
  } finally {
    if (!settled) {
      const abandoned = signal.reason instanceof ClientGone
      const outcome = abandoned ? 'abandoned' : 'failed'
      const basis = progress === undefined ? 'none' : 'engine_partial'
      const ended = { outcome, basis, counts: progress ?? NOTHING_USED } as const
      const timed = { queuedMs, firstPieceMs }
      const writing = usage.settle({ engine: slot.engine.name, ...timed, ...ended })
      // After an abandoned generation no client is waiting, and the slot is free for others.
      if (!abandoned) await writing
    }
  }
}

import type { FinishReason } from '../contract/chat-response.ts'
import { ClientGone } from '../http/call.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import type {
  GenerationStream,
  PieceBatch,
  OnBatch,
  TokenCounts,
} from '../engines/adapters/piece.ts'
import type { UsageBasis, UsageOutcome } from '../tenancy/usage-record.ts'
import { NOTHING_BILLED, type Bill } from './bill-prompt.ts'
import type { OpenUsage } from './track-usage.ts'

/**
 * Passes pieces through and settles exactly once, however the generation ends: completed, failed,
 * or abandoned by the client. A completed one is settled before its last piece is sent, so that no
 * client sees the end of a generation that was not counted. One that the client abandoned before
 * the engine's first token costs its prompt, as `billPrompt` returns it; a failed one does not.
 */
export function settle(
  generated: GenerationStream,
  generation: SettledGeneration,
): GenerationStream {
  return (onBatch) => new Settling(generation, onBatch).run(generated)
}

export type SettledGeneration = {
  readonly usage: OpenUsage
  readonly slot: Pick<Slot, 'engine' | 'attempts' | 'startTag' | 'exceeded'>
  /** Frees the slot before its owner does. */
  readonly releaseSlot: () => void
  /** Aborted if the client leaves. */
  readonly signal: AbortSignal
  readonly billPrompt: () => Promise<Bill>
}

class Settling {
  readonly #usage: OpenUsage
  readonly #generation: SettledGeneration
  readonly #onBatch: OnBatch
  readonly #queuedMs: number
  #firstTokenMs: number | null = null
  #progress: TokenCounts | undefined
  #finishReason: FinishReason | undefined
  #settled = false

  constructor(generation: SettledGeneration, onBatch: OnBatch) {
    this.#usage = generation.usage
    this.#generation = generation
    this.#onBatch = onBatch
    this.#queuedMs = this.#sinceAdmission()
  }

  async run(generated: GenerationStream): Promise<void> {
    try {
      await generated((batch) => this.#pass(batch))
    } finally {
      if (!this.#settled) await this.#settleEarly()
    }
  }

  #pass(batch: PieceBatch): Promise<void> | undefined {
    this.#firstTokenMs ??= this.#sinceAdmission()
    if (batch.progress !== undefined) {
      this.#progress = batch.progress
      // A record that is closed from its checkpoint says that the engine has counted.
      if (batch.progress.isEstimated !== true) this.#usage.checkpoint(batch.progress)
    }
    this.#finishReason ??= finishIn(batch)
    const last = batch.pieces.at(-1)
    if (last?.type !== 'usage') return this.#onBatch(batch)
    this.#settled = true
    const { counts } = this.#usage.limit(last.usage)
    const settled = this.#settle('completed', billOf(last.usage, 'engine'))
    // The client is shown what is charged.
    const pieces = [...batch.pieces.slice(0, -1), { ...last, usage: counts }]
    return settled.then(() => this.#onBatch({ ...batch, pieces }))
  }

  async #settleEarly(): Promise<void> {
    const { signal, releaseSlot, billPrompt } = this.#generation
    const abandoned = signal.reason instanceof ClientGone
    // After an abandoned generation no client is waiting, and the slot is free for others.
    if (abandoned) releaseSlot()
    const leftEarly = abandoned && this.#firstTokenMs === null
    const unreported = () => (leftEarly ? billPrompt() : NOTHING_BILLED)
    const progress = this.#progress
    const bill = progress === undefined ? await unreported() : billOf(progress, 'engine_partial')
    const writing = this.#settle(abandoned ? 'abandoned' : 'failed', bill)
    if (!abandoned) await writing
  }

  #settle(outcome: UsageOutcome, bill: Bill): Promise<void> {
    const { slot } = this.#generation
    const { engine, attempts, startTag } = slot
    const times = { queuedMs: this.#queuedMs, firstTokenMs: this.#firstTokenMs }
    const { counts, excess } = this.#usage.limit(bill.counts)
    const { basis } = bill
    // An estimate is ours, not the engine's.
    if (excess > 0 && basis !== 'none') slot.exceeded(excess)
    const end = { engine: engine.name, attempts, startTag, outcome, ...times, basis, counts }
    return this.#usage.settle(end, this.#finishReason)
  }

  #sinceAdmission(): number {
    return Math.round(performance.now() - this.#usage.admittedMs)
  }
}

/** Nothing but the usage follows a finish. */
function finishIn({ pieces }: PieceBatch): FinishReason | undefined {
  const piece = pieces.at(pieces.at(-1)?.type === 'usage' ? -2 : -1)
  return piece?.type === 'finish' ? piece.reason : undefined
}

function billOf({ isEstimated, ...counts }: TokenCounts, basis: UsageBasis): Bill {
  return { basis: isEstimated === true ? 'none' : basis, counts }
}

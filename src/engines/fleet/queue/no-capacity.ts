import type { RefusalReason } from '../figures/pool-figures.ts'

/** The queue was full, the wait would have been too long, or it was. */
export class NoCapacity extends Error {
  override readonly name = 'NoCapacity'
  readonly retryAfterMs: number
  readonly reason: RefusalReason

  constructor(retryAfterMs: number, reason: RefusalReason) {
    super('no free slot')
    this.retryAfterMs = retryAfterMs
    this.reason = reason
  }
}

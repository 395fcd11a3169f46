export type AccountFacts = {
  readonly ref: string
  readonly live: boolean
  /** Whether the key has only the rights that it was given. */
  readonly restricted: boolean
  readonly chargesEnabled: boolean
  /** In which the provider settles, if nothing else is set up there. */
  readonly currency: string
  /** How far the provider's clock is ahead of ours. */
  readonly clockAheadMs: number
}

import type { EngineError } from '../adapters/engine.ts'

/** What a fleet reports while it works, for metrics. */
export type FleetEvents = {
  /** A generation got a slot. */
  readonly onGeneration: (modelId: string) => void
  /** An engine failed a generation, which may be retried on another. */
  readonly onError: (error: EngineError) => void
  /** An engine counted tokens beyond what a request can use, which are not charged. */
  readonly onExcess: (engine: string, tokens: number) => void
}

/** For a fleet without metrics. */
export const UNWATCHED: FleetEvents = {
  onGeneration: () => undefined,
  onError: () => undefined,
  onExcess: () => undefined,
}

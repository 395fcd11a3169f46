import type { EngineState } from '../../../contract/management/operator-system.ts'
import type { TokenCounts } from '../../adapters/piece.ts'

/** How fast one engine works: moving averages, so that the cost per event is constant. */
export type EngineFigures = {
  /** A generation is sent to the engine. */
  start(): GenerationTimer
  /** Tokens that the engine counted beyond a request's bounds; new if the last was long ago. */
  exceeded(tokens: number): { readonly isNew: boolean }
  /** Null where no generation has told yet. */
  view(): Pick<
    EngineState,
    | 'first_token_ms'
    | 'tokens_per_second'
    | 'prefill_tokens_per_second'
    | 'cached_share'
    | 'excess_tokens'
  >
}

/** Measures one generation. */
export type GenerationTimer = {
  /** It sent pieces. */
  progressed(): void
  /** It ended successfully. Counts are undefined if the engine does not report them. */
  succeeded(counts: TokenCounts | undefined): void
}

/** Weight of the newest generation: an average covers about the last twenty. */
const WEIGHT = 0.05
/** The first token of a shorter prompt comes with the engine's next step, whatever its speed. */
const PREFILL_TOKENS_MIN = 64
/** A shorter output is mostly one network read. */
const OUTPUT_TOKENS_MIN = 8

/** An engine that counts wrongly does so with every request; one line a minute is enough. */
const EXCESS_QUIET_MS = 60_000

export function createEngineFigures(now: () => number = () => performance.now()): EngineFigures {
  const firstTokenMs = createAverage()
  const tokensPerSecond = createAverage()
  const prefillPerSecond = createAverage()
  // As two averages, so that long prompts count for more than short ones.
  const [promptTokens, cachedTokens] = [createAverage(), createAverage()]
  let excessTokens = 0
  let loggedMs = -Infinity

  function count(counts: TokenCounts, prefillMs: number, outputMs: number): void {
    const uncached = counts.promptTokens - counts.cachedTokens
    if (uncached >= PREFILL_TOKENS_MIN && prefillMs > 0)
      prefillPerSecond.add((uncached / prefillMs) * 1000)
    // The first token is part of the first chunk.
    const output = counts.completionTokens - 1
    if (output >= OUTPUT_TOKENS_MIN && outputMs > 0) tokensPerSecond.add((output / outputMs) * 1000)
    promptTokens.add(counts.promptTokens)
    cachedTokens.add(counts.cachedTokens)
  }

  return {
    start: () => new RunningTimer(now, firstTokenMs.add, count),
    exceeded(tokens) {
      excessTokens += tokens
      const isNew = now() - loggedMs >= EXCESS_QUIET_MS
      if (isNew) loggedMs = now()
      return { isNew }
    },
    view() {
      const prompt = promptTokens.value()
      return {
        first_token_ms: firstTokenMs.value(),
        tokens_per_second: tokensPerSecond.value(),
        prefill_tokens_per_second: prefillPerSecond.value(),
        cached_share: prompt === null ? null : (cachedTokens.value() ?? 0) / Math.max(1, prompt),
        excess_tokens: excessTokens,
      }
    },
  }
}

type Count = (counts: TokenCounts, prefillMs: number, outputMs: number) => void

class RunningTimer implements GenerationTimer {
  readonly #now: () => number
  readonly #answered: (ms: number) => void
  readonly #count: Count
  readonly #startMs: number
  #firstMs: number | undefined

  constructor(now: () => number, answered: (ms: number) => void, count: Count) {
    this.#now = now
    this.#answered = answered
    this.#count = count
    this.#startMs = now()
  }

  progressed(): void {
    if (this.#firstMs !== undefined) return
    this.#firstMs = this.#now()
    this.#answered(this.#firstMs - this.#startMs)
  }

  succeeded(counts: TokenCounts | undefined): void {
    if (this.#firstMs === undefined || counts === undefined) return
    this.#count(counts, this.#firstMs - this.#startMs, this.#now() - this.#firstMs)
  }
}

function createAverage() {
  let average: number | null = null
  return {
    add: (value: number) =>
      void (average = (average ?? value) + (value - (average ?? value)) * WEIGHT),
    value: () => average,
  }
}

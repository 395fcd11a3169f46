/** What a model's tokens cost under a plan, in micro-units of the currency per million tokens. */
export type Price = {
  readonly input: number
  /** Of input tokens that were in the engine's cache. */
  readonly cachedInput: number
  readonly output: number
}

/** A price as in the configuration file: in units of the currency. */
export type PriceSettings = {
  readonly input: number
  readonly cached_input?: number | undefined
  readonly output: number
}

/** The file allows at most six decimals, so rounding only removes binary fraction errors. */
export function priceFrom({ input, cached_input = input, output }: PriceSettings): Price {
  return {
    input: Math.round(input * MICRO),
    cachedInput: Math.round(cached_input * MICRO),
    output: Math.round(output * MICRO),
  }
}

/** The counts that are billed. Reasoning is part of the completion. */
export type PricedCounts = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

const MILLION = 1_000_000n
/** Micro-units per unit of the currency. */
const MICRO = 1_000_000

/**
 * Whole micro-units, rounded down: the operator loses less than one per request. The product of
 * tokens and price can exceed 2^53, so it is computed with bigint.
 */
export function costOf(counts: PricedCounts, price: Price): number {
  return Number(millionths(counts, price) / MILLION)
}

/** An upper bound on the cost of a generation: rounded up, without cached tokens. */
export function worstCost(promptTokensMax: number, outputTokensMax: number, price: Price): number {
  const dearest = { ...price, input: Math.max(price.input, price.cachedInput) }
  const counts = {
    promptTokens: promptTokensMax,
    cachedTokens: 0,
    completionTokens: outputTokensMax,
  }
  return Number((millionths(counts, dearest) + MILLION - 1n) / MILLION)
}

/** One factor of a cost. */
export type CostLine = {
  readonly of: 'input' | 'cached_input' | 'output'
  readonly tokens: number
  /** In micro-units per million tokens. */
  readonly price: number
  /** Tokens times price: millionths of a micro-unit. */
  readonly millionths: bigint
}

/** The parts that a cost is the sum of, before it is rounded down. */
export function costLines(counts: PricedCounts, price: Price): CostLine[] {
  const cached = Math.min(counts.cachedTokens, counts.promptTokens)
  const line = (of: CostLine['of'], tokens: number, each: number): CostLine => ({
    of,
    tokens,
    price: each,
    millionths: BigInt(tokens) * BigInt(each),
  })
  return [
    line('input', counts.promptTokens - cached, price.input),
    line('cached_input', cached, price.cachedInput),
    line('output', counts.completionTokens, price.output),
  ]
}

function millionths(counts: PricedCounts, price: Price): bigint {
  const cached = Math.min(counts.cachedTokens, counts.promptTokens)
  return (
    BigInt(counts.promptTokens - cached) * BigInt(price.input) +
    BigInt(cached) * BigInt(price.cachedInput) +
    BigInt(counts.completionTokens) * BigInt(price.output)
  )
}

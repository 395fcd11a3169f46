import {
  BYTES_PER_TOKEN,
  inputTokensOf,
  measurePrompt,
  promptTokensMaxOf,
} from '../../../../src/contract/prompt-bound.ts'
import { costOf, worstCost, type Price } from '../../../../src/tenancy/price.ts'
import type { Money, PlanModel } from '../../api/routes.ts'
import type { ChatBody } from './setup/chat-body.ts'
import type { Run } from './stream/run.ts'

// By the code with which the service reserves and bills.

type Priced = Pick<
  PlanModel,
  'prices' | 'context_length' | 'max_output_tokens' | 'default_output_tokens'
>

function priceOf({ prices }: Priced): Price | null {
  if (prices === null) return null
  return {
    input: prices.input.amount_micro,
    cachedInput: prices.cached_input.amount_micro,
    output: prices.output.amount_micro,
  }
}

function moneyOf(micro: number, { prices }: Priced): Money | null {
  return prices === null ? null : { ...prices.input, amount_micro: micro, amount: '' }
}

/** The most that a request can cost; what is reserved for it. Null: free of charge. */
export function mostOf(body: ChatBody, model: Priced): Money | null {
  const price = priceOf(model)
  if (price === null) return null
  const context = model.context_length ?? Infinity
  const asked = body.max_completion_tokens ?? model.default_output_tokens
  const output = Math.min(asked, model.max_output_tokens ?? Infinity, context)
  const prompt = Math.min(context, promptTokensMaxOf(measurePrompt(body)))
  return moneyOf(worstCost(prompt, output, price), model)
}

/** What a request has cost: exact once the usage is there, estimated before. */
export function costOfRun(
  run: Run,
  model: Priced,
): { readonly money: Money; readonly exact: boolean } | null {
  const price = priceOf(model)
  if (price === null) return null
  const { usage } = run.reply
  const counts = usage === null ? estimateOf(run) : countsOf(usage)
  const money = moneyOf(costOf(counts, price), model)
  return money === null ? null : { money, exact: usage !== null }
}

function countsOf(usage: NonNullable<Run['reply']['usage']>) {
  return {
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    completionTokens: usage.completion_tokens,
  }
}

export function estimateOf(run: Run) {
  const { reasoning, text, calls } = run.reply
  const characters = calls.reduce(
    (sum, call) => sum + call.arguments.length,
    reasoning.length + text.length,
  )
  return {
    promptTokens: inputTokensOf(measurePrompt(run.body)),
    cachedTokens: 0,
    completionTokens: Math.max(run.timing.pieces, Math.ceil(characters / BYTES_PER_TOKEN)),
  }
}

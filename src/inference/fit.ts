import { ApiError } from '../contract/error.ts'
import type { Model } from '../contract/model.ts'
import { EngineError, type Generation } from '../engines/adapters/engine.ts'
import { engineMessages } from '../engines/adapters/engine-messages.ts'
import type { Fleet } from '../engines/fleet/fleet.ts'
import { keepText, type Neutralise } from '../engines/adapters/neutralise.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Estimate } from './estimate.ts'
import type { ValidRequest } from './validate.ts'

/** A model that announces neither context nor output length is still not asked for more. */
const OUTPUT_TOKENS_DEFAULT = 4_096
/** An engine counts in milliseconds. One that does not is better asked to generate. */
const COUNT_TIMEOUT_MS = 2_000

/**
 * Makes sure that prompt and output fit the model's context, before an engine slot is taken. Most
 * requests fit whatever their tokens turn out to be; only for the others is an engine asked to
 * count, so that a refusal is exact.
 */
export async function fit(
  { request, served, effort, outputTokensAsked }: ValidRequest,
  estimate: Estimate,
  caller: Caller,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Generation> {
  const { context_length: context } = served.model
  const outputTokensMax = outputTokensAsked ?? usualOutput(served.model)
  const cacheSalt = caller.organizationId
  const { neutralise } = served
  const generation = { request, effort, outputTokensMax, cacheSalt, neutralise }
  if (context === undefined || surelyFits(generation, estimate, context)) return generation
  // Counting takes an engine seconds where megabytes were sent, so the hopeless are not counted.
  if (estimate.promptTokensMin > context)
    throw contextExceeded(context, `the messages have at least ${estimate.promptTokensMin} tokens`)
  const promptTokens = await countPrompt(generation, request.model, fleet, signal)
  if (promptTokens === undefined) return generation
  // A prompt that leaves no room for a single token is too long as well.
  const needed = promptTokens + (outputTokensAsked ?? 1)
  if (needed > context) throw tooLong(context, promptTokens, outputTokensAsked)
  return { ...generation, outputTokensMax: Math.min(outputTokensMax, context - promptTokens) }
}

/** The most that is generated for a request that does not say. */
export function usualOutput({ max_output_tokens: most, default_parameters }: Model): number {
  return default_parameters?.max_tokens ?? most ?? OUTPUT_TOKENS_DEFAULT
}

/** The least that a control token is, one character, and the three bytes that break it up. */
const NEUTRALISED_GROWTH_MAX = 4

/** No tokenizer makes more tokens than there are bytes, those that we add included. */
function surelyFits(generation: Generation, estimate: Estimate, context: number): boolean {
  const room = context - generation.outputTokensMax
  if (estimate.promptTokensMax * NEUTRALISED_GROWTH_MAX <= room) return true
  if (estimate.promptTokensMax > room) return false
  const { request, neutralise } = generation
  const bytes = (change: Neutralise) =>
    Buffer.byteLength(JSON.stringify(engineMessages(request.messages, change)))
  return estimate.promptTokensMax + bytes(neutralise) - bytes(keepText) <= room
}

/** Undefined when no engine could count: the generation then finds out by itself. */
async function countPrompt(
  generation: Generation,
  modelId: string,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(COUNT_TIMEOUT_MS)])
    return await fleet.anyEngine(modelId)?.countPrompt(generation, timeout)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineError || error instanceof DOMException) return undefined
    throw error
  }
}

function tooLong(context: number, prompt: number, asked: number | undefined): ApiError {
  const output = asked === undefined ? '' : ` and ${asked} were requested as output`
  return contextExceeded(context, `the messages have ${prompt} tokens${output}`)
}

// Clients shorten the conversation by themselves when they find "maximum context length" here.
export function contextExceeded(
  context: number | undefined,
  why: string,
  cause?: unknown,
): ApiError {
  const bound =
    context === undefined
      ? "This exceeds the model's maximum context length"
      : `This model's maximum context length is ${context} tokens`
  return new ApiError(
    'context_length_exceeded',
    `${bound}: ${why}. Shorten the messages or request less output.`,
    { param: 'messages', cause },
  )
}

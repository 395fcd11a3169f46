import { ApiError } from '../contract/error.ts'
import { BYTES_PER_TOKEN, defaultOutputTokens } from '../contract/prompt-bound.ts'
import { EngineError, type Generation } from '../engines/adapters/engine.ts'
import type { Fleet } from '../engines/fleet/fleet.ts'
import type { Admission } from './admit.ts'
import type { Estimate } from './estimate.ts'
import type { Located } from './route.ts'
import type { ValidRequest } from './validate.ts'

/** Counting takes milliseconds. If an engine takes longer, the generation starts without it. */
const COUNT_TIMEOUT_MS = 2_000

/**
 * Checks that prompt and output fit the model's context before an engine slot is taken. Most
 * requests fit by the bound of their usage record alone. For the others an engine counts the
 * tokens, so that the 400 is exact.
 */
export async function fit(
  valid: ValidRequest & Located,
  estimate: Estimate,
  { caller, opened }: Pick<Admission, 'caller' | 'opened'>,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Generation> {
  const { request, served, effort, outputTokensAsked, stopStrings } = valid
  const { context_length: context } = served.model
  const outputTokensMax = outputTokensAsked ?? defaultOutputTokens(served.model)
  const { organizationId } = caller
  const { neutralise } = served
  const tokens = { promptTokens: estimate.inputTokens, bytesPerToken: BYTES_PER_TOKEN }
  const common = { request, effort, organizationId, neutralise, stopStrings, estimate: tokens }
  const generation = { ...common, outputTokensMax }
  const promptTokensMax = opened?.promptTokensMax ?? Infinity
  if (context === undefined || promptTokensMax + outputTokensMax <= context) return generation
  // Counting megabytes takes an engine seconds, so prompts that cannot fit are not counted.
  if (estimate.promptTokensMin > context)
    throw contextExceeded(context, `the messages have at least ${estimate.promptTokensMin} tokens`)
  const promptTokens = await countPrompt(generation, valid, fleet, signal)
  const isRefused = served.abilitiesFor(organizationId)?.context !== false
  if (promptTokens === undefined && isRefused) return generation
  // An engine that would cut the prompt gets only what surely fits.
  const most = promptTokens ?? promptTokensMax
  // A prompt that leaves no room for even one output token is too long too.
  if (most + (outputTokensAsked ?? 1) > context)
    throw tooLong(context, promptTokens, most, outputTokensAsked)
  const room = Math.min(outputTokensMax, context - most)
  return { ...generation, promptTokens, outputTokensMax: room }
}

/** Undefined if no engine could count; the engine then checks the length when it generates. */
async function countPrompt(
  generation: Generation,
  { served, conversation }: ValidRequest & Located,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(COUNT_TIMEOUT_MS)])
    // Engines of one model may have different versions of its template.
    return await fleet
      .findEngine(served.model.id, { ...conversation, needs: ['count'] })
      ?.countPrompt(generation, timeout)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineError || error instanceof DOMException) return undefined
    throw error
  }
}

function tooLong(
  context: number,
  counted: number | undefined,
  most: number,
  asked: number | undefined,
): ApiError {
  const output = asked === undefined ? '' : ` and ${asked} were requested as output`
  const messages = counted === undefined ? `may have up to ${most}` : `have ${counted}`
  return contextExceeded(context, `the messages ${messages} tokens${output}`)
}

// Clients shorten the conversation when they find "maximum context length" or "prompt is too long".
export function contextExceeded(
  context: number | undefined,
  why: string,
  cause?: unknown,
): ApiError {
  const bound =
    context === undefined
      ? "it exceeds the model's maximum context length"
      : `this model's maximum context length is ${context} tokens`
  return new ApiError(
    'context_length_exceeded',
    `The prompt is too long: ${bound}, ${why}. Shorten the messages or request less output.`,
    { param: 'messages', cause },
  )
}

import { inputTokensOf, measurePrompt, type PromptSize } from '../contract/prompt-bound.ts'
import { isObject } from '../lib/is-object.ts'
import type { ChatBody } from './read-chat-body.ts'

/** The size of a request before it is validated. */
export type Estimate = {
  /** Counted at admission: bytes of input divided by the bytes of a token. */
  readonly inputTokens: number
  /** Of which an upper bound follows, by the template of the model that answers. */
  readonly size: PromptSize
  /** A lower bound on the tokens of the prompt. */
  readonly promptTokensMin: number
}

const UNREADABLE: Estimate = { inputTokens: 0, size: measurePrompt({}), promptTokensMin: 0 }

/** The longest tokens of common vocabularies are runs of 128 spaces. */
const TOKEN_BYTES_MAX = 128

/** Never throws, whatever the body is. */
export function estimateRequest(body: ChatBody): Estimate {
  if (!body.read || !isObject(body.value)) return UNREADABLE
  const size = measurePrompt(body.value)
  return {
    inputTokens: inputTokensOf(size),
    size,
    promptTokensMin: Math.floor(size.textBytes / TOKEN_BYTES_MAX),
  }
}

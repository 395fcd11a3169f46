import { inputTokensOf, measurePrompt, type PromptSize } from '../contract/prompt-bound.ts'
import { isObject } from '../lib/is-object.ts'
import type { Catalog } from './catalog.ts'
import type { ChatBody } from './read-chat-body.ts'

/** The size of a request before it is validated. */
export type Estimate = {
  /** Counted at admission: bytes of input divided by the model's bytes per token. */
  readonly inputTokens: number
  /** Of which an upper bound follows, by the template of the model that answers. */
  readonly size: PromptSize
  /** A lower bound on the tokens of the prompt. */
  readonly promptTokensMin: number
}

const UNREADABLE: Estimate = { inputTokens: 0, size: measurePrompt({}), promptTokensMin: 0 }

const BYTES_PER_TOKEN_DEFAULT = 4
/** The longest tokens of common vocabularies are runs of 128 spaces. */
const TOKEN_BYTES_MAX = 128

/** Never throws, whatever the body is. */
export function estimateRequest(body: ChatBody, catalog: Catalog): Estimate {
  if (!body.read || !isObject(body.value)) return UNREADABLE
  const { model } = body.value
  const size = measurePrompt(body.value)
  const served = typeof model === 'string' ? catalog.get(model) : undefined
  return {
    inputTokens: inputTokensOf(size, served?.bytesPerToken ?? BYTES_PER_TOKEN_DEFAULT),
    size,
    promptTokensMin: Math.floor(size.textBytes / TOKEN_BYTES_MAX),
  }
}

import { isObject } from '../lib/is-object.ts'
import type { Catalog } from './catalog.ts'
import type { ChatBody } from './read-chat-body.ts'

/** The size of a request before it is validated. */
export type Estimate = {
  /** Counted at admission: bytes of input divided by the model's bytes per token. */
  readonly inputTokens: number
  /** An upper bound on the tokens of the prompt. */
  readonly promptTokensMax: number
  /** A lower bound on the tokens of the prompt. */
  readonly promptTokensMin: number
}

const UNREADABLE: Estimate = { inputTokens: 0, promptTokensMax: 0, promptTokensMin: 0 }

const BYTES_PER_TOKEN_DEFAULT = 4

// Upper bounds on what chat templates add. A token is at least one byte of the rendered prompt.
// Templates wrap each message in a few control tokens, and render tools as JSON after a paragraph
// of explanation; spaces and escapes can triple that JSON.
const TEMPLATE_TOKENS_MAX = 256
const MESSAGE_TOKENS_MAX = 16
const TOOLS_TOKENS_MAX = 512
const TOOLS_EXPANSION_MAX = 4
/** The longest tokens of common vocabularies are runs of 128 spaces. */
const TOKEN_BYTES_MAX = 128

/** Never throws, whatever the body is. */
export function estimateRequest(body: ChatBody, catalog: Catalog): Estimate {
  if (!body.read || !isObject(body.value)) return UNREADABLE
  const { model, messages, tools } = body.value
  const list = Array.isArray(messages) ? (messages as unknown[]) : []
  const textBytes = list.reduce<number>((sum, message) => sum + bytesOfMessage(message), 0)
  const toolBytes = Array.isArray(tools) ? Buffer.byteLength(JSON.stringify(tools)) : 0
  const served = typeof model === 'string' ? catalog.get(model) : undefined
  const bytesPerToken = served?.bytesPerToken ?? BYTES_PER_TOKEN_DEFAULT
  const wrapping = TEMPLATE_TOKENS_MAX + MESSAGE_TOKENS_MAX * list.length
  const tooling = toolBytes === 0 ? 0 : TOOLS_TOKENS_MAX + TOOLS_EXPANSION_MAX * toolBytes
  return {
    inputTokens: Math.ceil((textBytes + toolBytes) / bytesPerToken),
    promptTokensMax: textBytes + wrapping + tooling,
    promptTokensMin: Math.floor(textBytes / TOKEN_BYTES_MAX),
  }
}

function bytesOfMessage(message: unknown): number {
  if (!isObject(message)) return 0
  const { content, reasoning_content: reasoning, tool_calls: calls } = message
  return bytesOfContent(content) + bytesOfText(reasoning) + bytesOfCalls(calls)
}

function bytesOfContent(content: unknown): number {
  if (!Array.isArray(content)) return bytesOfText(content)
  return (content as unknown[]).reduce<number>(
    (sum, part) => sum + (isObject(part) ? bytesOfText(part['text']) + 1 : 0),
    0,
  )
}

function bytesOfCalls(calls: unknown): number {
  return Array.isArray(calls) ? Buffer.byteLength(JSON.stringify(calls)) : 0
}

function bytesOfText(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0
}

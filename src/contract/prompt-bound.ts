import { byteLength } from '../lib/byte-length.ts'
import { isObject } from '../lib/is-object.ts'
import { LongText } from '../lib/json/long-text.ts'

// Upper bounds on the tokens of a request, before an engine has seen it. The data plane reserves by
// them, and the playground shows the same bound before sending. Nothing here needs Node.

type PromptSize = {
  readonly messages: number
  readonly textBytes: number
  readonly toolBytes: number
}

// Upper bounds on what chat templates add. A token is at least one byte of the rendered prompt.
// Templates wrap each message in a few control tokens, and render tools as JSON after a paragraph
// of explanation; spaces and escapes can triple that JSON.
const TEMPLATE_TOKENS_MAX = 256
const MESSAGE_TOKENS_MAX = 16
const TOOLS_TOKENS_MAX = 512
const TOOLS_EXPANSION_MAX = 4

/** Never throws, whatever the messages and tools are. */
export function measurePrompt({
  messages,
  tools,
}: {
  readonly messages?: unknown
  readonly tools?: unknown
}): PromptSize {
  const list = Array.isArray(messages) ? (messages as unknown[]) : []
  return {
    messages: list.length,
    textBytes: list.reduce<number>((sum, each) => sum + bytesOfMessage(each), 0),
    toolBytes: Array.isArray(tools) ? byteLength(JSON.stringify(tools)) : 0,
  }
}

/** An upper bound on the tokens of the prompt. */
export function promptTokensMaxOf({ messages, textBytes, toolBytes }: PromptSize): number {
  const wrapping = TEMPLATE_TOKENS_MAX + MESSAGE_TOKENS_MAX * messages
  const tooling = toolBytes === 0 ? 0 : TOOLS_TOKENS_MAX + TOOLS_EXPANSION_MAX * toolBytes
  return textBytes + wrapping + tooling
}

/** Counted at admission: bytes of input divided by the model's bytes per token. */
export function inputTokensOf({ textBytes, toolBytes }: PromptSize, bytesPerToken: number): number {
  return Math.ceil((textBytes + toolBytes) / bytesPerToken)
}

/** The output limit of a model that announces neither context nor output length. */
const OUTPUT_TOKENS_DEFAULT = 4_096

/** The output limit of a request that sets none. */
export function defaultOutputTokens({
  max_output_tokens: most,
  default_parameters,
}: {
  readonly max_output_tokens?: number | undefined
  readonly default_parameters?: { readonly max_tokens?: number | undefined } | undefined
}): number {
  return default_parameters?.max_tokens ?? most ?? OUTPUT_TOKENS_DEFAULT
}

function bytesOfText(text: unknown): number {
  if (text instanceof LongText) return text.bytes
  return typeof text === 'string' ? byteLength(text) : 0
}

function bytesOfMessage(message: unknown): number {
  if (!isObject(message)) return 0
  const { content, reasoning_content: reasoning, tool_calls: calls } = message
  const bytesOfContent = Array.isArray(content)
    ? (content as unknown[]).reduce<number>(
        (sum, part) => sum + (isObject(part) ? bytesOfText(part['text']) + 1 : 0),
        0,
      )
    : bytesOfText(content)
  const bytesOfCalls = Array.isArray(calls) ? byteLength(JSON.stringify(calls)) : 0
  return bytesOfContent + bytesOfText(reasoning) + bytesOfCalls
}

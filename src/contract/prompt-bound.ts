import { byteLength } from '../lib/byte-length.ts'
import { isObject } from '../lib/is-object.ts'

// Upper bounds on the tokens of a request, before an engine has seen it. The data plane reserves by
// them, and the playground shows the same bound before sending. Nothing here needs Node.

/** What a prompt is made of. */
export type PromptSize = {
  readonly messages: number
  /** Of the texts of all messages, their reasoning, their tool calls and ids. */
  readonly textBytes: number
  /** What templates can make beyond the bytes: JSON escapes, digits, and repeated names. */
  readonly addedBytes: number
  /** Commas and colons of tool calls: templates wrap each argument, and write spaces. */
  readonly separators: number
  readonly tools: number
  readonly toolBytes: number
  /** Of `reasoning_effort`. */
  readonly effortBytes: number
}

/** The most tokens that a model's chat template adds to the bytes of a conversation. */
export type TemplateCost = {
  /** For the conversation as a whole, such as a default system message. */
  readonly conversation: number
  /** For each message. */
  readonly message: number
  /** For each comma and colon of a tool call. */
  readonly separator: number
  /** For the explanation of tools, if there are any. */
  readonly tools: number
  /** For each tool. */
  readonly tool: number
}

/** For a model whose template was not measured. */
export const TEMPLATE_COST_DEFAULT: TemplateCost = {
  conversation: 256,
  message: 16,
  separator: 4,
  tools: 512,
  tool: 64,
}

/** Templates render tools as JSON or as declarations; spaces and escapes can triple that JSON. */
const TOOLS_EXPANSION_MAX = 4
/** Some write the name of the called function twice with each result; breaks can double it. */
const NAME_REPEATS_MAX = 4

/** Never throws, whatever the messages and tools are. */
export function measurePrompt({
  messages,
  tools,
  reasoning_effort: effort,
}: {
  readonly messages?: unknown
  readonly tools?: unknown
  readonly reasoning_effort?: unknown
}): PromptSize {
  const list = Array.isArray(messages) ? (messages as unknown[]) : []
  const sizes = list.map(sizeOfMessage)
  const sum = (of: (size: MessageSize) => number) =>
    sizes.reduce((total, size) => total + of(size), 0)
  const longestName = sizes.reduce((longest, { nameBytes }) => Math.max(longest, nameBytes), 0)
  const results = sizes.filter(({ isResult }) => isResult).length
  const toolJson = Array.isArray(tools) ? JSON.stringify(tools) : ''
  const repeated = NAME_REPEATS_MAX * longestName * results
  return {
    messages: list.length,
    textBytes: sum(({ textBytes }) => textBytes),
    addedBytes: sum(({ escapes }) => escapes) + repeated + digitsAddedTo(toolJson),
    separators: sum(({ separators }) => separators),
    tools: Array.isArray(tools) ? tools.length : 0,
    toolBytes: byteLength(toolJson),
    effortBytes: bytesOfText(effort),
  }
}

/** An upper bound on the tokens of the prompt: a token is at least one byte of what is rendered. */
export function promptTokensMaxOf(
  size: PromptSize,
  cost: TemplateCost = TEMPLATE_COST_DEFAULT,
): number {
  const { messages, textBytes, addedBytes, separators, tools, toolBytes, effortBytes } = size
  const wrapping =
    cost.conversation + cost.message * messages + cost.separator * separators + effortBytes
  const tooling = tools === 0 ? 0 : cost.tools + cost.tool * tools + TOOLS_EXPANSION_MAX * toolBytes
  return textBytes + addedBytes + wrapping + tooling
}

/** For estimates: common vocabularies have about so many bytes of English text in a token. */
export const BYTES_PER_TOKEN = 4

/** Counted at admission: bytes of input divided by the bytes of a token. */
export function inputTokensOf({
  textBytes,
  toolBytes,
}: Pick<PromptSize, 'textBytes' | 'toolBytes'>): number {
  return Math.ceil((textBytes + toolBytes) / BYTES_PER_TOKEN)
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
  return typeof text === 'string' ? byteLength(text) : 0
}

/** As JSON without quotes. */
function bytesOfJson(text: unknown): number {
  return typeof text === 'string' ? byteLength(JSON.stringify(text)) - 2 : 0
}

type MessageSize = {
  readonly textBytes: number
  /** Bytes that templates add to what they render as JSON. */
  readonly escapes: number
  readonly separators: number
  /** Of the longest name of a function that is called. */
  readonly nameBytes: number
  /** Whether it is the result of a call. */
  readonly isResult: boolean
}

const NO_MESSAGE: MessageSize = {
  textBytes: 0,
  escapes: 0,
  separators: 0,
  nameBytes: 0,
  isResult: false,
}

function sizeOfMessage(message: unknown): MessageSize {
  if (!isObject(message)) return NO_MESSAGE
  const { role, content, reasoning_content: reasoning, tool_calls: calls } = message
  const isResult = role === 'tool'
  const texts = [content, reasoning, isResult ? message['tool_call_id'] : undefined]
  const textBytes = texts.reduce<number>((sum, text) => sum + bytesIn(text, bytesOfText, 1), 0)
  // Llama's template, among others, renders results as JSON.
  const escapes = isResult ? bytesIn(content, bytesOfJson, 2) - bytesIn(content, bytesOfText, 1) : 0
  if (!Array.isArray(calls)) return { ...NO_MESSAGE, textBytes, escapes, isResult }
  const json = JSON.stringify(calls)
  return {
    textBytes: textBytes + byteLength(json),
    escapes: escapes + digitsAddedTo(json),
    separators: countSeparators(json),
    nameBytes: calls.reduce<number>((longest, call) => Math.max(longest, nameBytesOf(call)), 0),
    isResult,
  }
}

/** Of a text, or of its parts, which are joined by a newline. */
function bytesIn(content: unknown, bytesOf: (text: unknown) => number, newline: number): number {
  if (!Array.isArray(content)) return bytesOf(content)
  return (content as unknown[]).reduce<number>(
    (sum, part) => sum + (isObject(part) ? bytesOf(part['text']) + newline : 0),
    0,
  )
}

function nameBytesOf(call: unknown): number {
  const called = isObject(call) ? call['function'] : undefined
  return isObject(called) ? bytesOfText(called['name']) : 0
}

function countSeparators(json: string): number {
  let count = 0
  for (const separator of [',', ':'])
    for (let at = json.indexOf(separator); at !== -1; at = json.indexOf(separator, at + 1)) count++
  return count
}

/** llama-server writes 1e300 with all its digits; the smallest number has 324 decimals. */
const EXPONENT_DIGITS_MAX = 330

function digitsAddedTo(json: string): number {
  let count = 0
  for (const _ of json.matchAll(/\de[+-]?\d/gi)) count += 1
  return count * EXPONENT_DIGITS_MAX
}

/**
 * Breaks up control tokens in client text. Engines render a conversation to one text and parse
 * control tokens anywhere in it, so without this a user message could end its own turn and start a
 * system turn.
 */
export type Neutralise = (text: string) => string

/**
 * Control tokens of common vocabularies: ChatML and its relatives, DeepSeek's wide bars, Gemma's
 * turns, Mistral's instructions, and the tags of reasoning and tools.
 */
const COMMON = [
  '<\\|[^<>|\\s]{1,64}\\|>',
  '<｜[^<>｜\\s]{1,64}｜>',
  '</?s>',
  '<(?:start|end)_of_turn>',
  '\\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|THINK)\\]',
  '</?(?:think|tool_call|tool_response|tools)>',
]

/** A zero-width space: invisible and meaningless, but no control token contains it. */
const BREAK = '\u200b'

/** `tokens` are control tokens of the model that the common patterns do not cover. */
export function createNeutralise(tokens: readonly string[]): Neutralise {
  const own = tokens.map((token) => RegExp.escape(token))
  // Matches the first character of every token, so that overlapping tokens are all found.
  const pattern = new RegExp(`(?=${[...own, ...COMMON].join('|')}).`, 'gsu')
  // Most text has no bracket, and need not be searched for the common tokens.
  const skip = (text: string) => own.length === 0 && !/[<[]/.test(text)
  return (text) => (skip(text) ? text : text.replace(pattern, `$&${BREAK}`))
}

/** For models with `neutralise_control_tokens: false`. */
export const keepText: Neutralise = (text) => text

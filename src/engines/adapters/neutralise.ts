/**
 * Breaks up control tokens in text that a client sent. Engines render a conversation to one text
 * and parse control tokens wherever they stand in it, so without this a user's message could end
 * its own turn and begin one of the system's.
 */
export type Neutralise = (text: string) => string

/**
 * What looks like a control token in the usual vocabularies: ChatML and its kin, DeepSeek's wide
 * bars, Gemma's turns, Mistral's instructions, and the marks of thinking and tools.
 */
const USUAL = [
  '<\\|[^<>|\\s]{1,64}\\|>',
  '<｜[^<>｜\\s]{1,64}｜>',
  '</?s>',
  '<(?:start|end)_of_turn>',
  '\\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|THINK)\\]',
  '</?(?:think|tool_call|tool_response|tools)>',
]

/** Invisible and without meaning, but no token of any vocabulary goes across it. */
const BREAK = '\u200b'

/** `tokens` are the model's own that do not look like the usual ones. */
export function createNeutralise(tokens: readonly string[]): Neutralise {
  const own = tokens.map((token) => RegExp.escape(token))
  // The first character of every token, so that tokens that overlap are all found.
  const pattern = new RegExp(`(?=${[...own, ...USUAL].join('|')}).`, 'gsu')
  // Most text holds no bracket at all, and need not be searched for the usual ones.
  const skip = (text: string) => own.length === 0 && !/[<[]/.test(text)
  return (text) => (skip(text) ? text : text.replace(pattern, `$&${BREAK}`))
}

/** For models whose operator wants text to arrive as it was sent. */
export const asItIs: Neutralise = (text) => text

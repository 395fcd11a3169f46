import type { VocabularyToken } from '../../lib/vocabulary/gguf.ts'
import { isObject } from '../../lib/is-object.ts'
import { unlessRefused } from './engine.ts'
import type { Ask } from './upstream.ts'

/** How an engine renders and tokenizes; vLLM and SGLang differ in little. */
export type TemplateReading = {
  readonly tokenizePath: string
  readonly detokenizePath: string
  /** The request members that keep control tokens in the text, and the member with the text. */
  readonly keepSpecial: object
  readonly textMember: string
}

/** Texts of a template that could be tokens, such as `<tool_call>`. */
const MARKUP = /[<[\]|｜][^\s'"{}%<>[\]]{1,62}[>[\]|｜]/gu
/** No conversation has as many; each takes a request. */
const CANDIDATES_MAX = 64

export function findMarkup(template: string): Set<string> {
  return new Set(template.match(MARKUP) ?? [])
}

const CALL = {
  id: 'call00001',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Rome"}' },
}

const TOOL = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
}

/** Every kind of turn once, in an order that strict templates accept; then what all accept. */
const CONVERSATIONS = [
  {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Wait.', reasoning_content: 'Weather?', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: CALL.id, content: 'Sunny' },
      { role: 'assistant', content: 'It is sunny.' },
      { role: 'user', content: 'Thanks' },
    ],
    tools: [TOOL],
  },
  { messages: [{ role: 'user', content: 'Hello' }] },
]

/**
 * The control tokens that the chat template of an engine writes: it renders a conversation of ours,
 * and every markup in it that is a single token counts. Undefined if the engine does not tell.
 */
export async function readTemplateTokens(
  ask: Ask,
  model: string,
  reading: TemplateReading,
): Promise<VocabularyToken[] | undefined> {
  const idsOf = async (prompt: object) => {
    const answer = await ask('POST', reading.tokenizePath, { model, ...prompt })
    const tokens: unknown = isObject(answer) ? answer['tokens'] : undefined
    return Array.isArray(tokens) ? tokens.filter((id) => typeof id === 'number') : []
  }
  const [whole, simple] = CONVERSATIONS.map((each) => () => unlessRefused(() => idsOf(each)))
  const ids = (await whole?.()) ?? (await simple?.()) ?? []
  if (ids.length === 0) return undefined
  const body = { model, tokens: ids, ...reading.keepSpecial }
  const answer = await ask('POST', reading.detokenizePath, body)
  const text = isObject(answer) ? answer[reading.textMember] : undefined
  if (typeof text !== 'string') return undefined
  const tokens: VocabularyToken[] = []
  for (const prompt of [...findMarkup(text)].slice(0, CANDIDATES_MAX)) {
    const [id, ...more] = await idsOf({ prompt, add_special_tokens: false })
    if (id !== undefined && more.length === 0 && ids.includes(id))
      tokens.push({ text: prompt, special: false })
  }
  return tokens
}

import type { ChatRequest } from '../../contract/chat-request.ts'
import { engineMessages, type ReasoningMember } from './engine-messages.ts'
import { neutraliseSchema } from './neutralise-schema.ts'
import type { Neutralise } from './neutralise.ts'

// Engines merge or ignore unknown members, so they receive a fixed list of members: nothing from a
// client reaches an engine unless it is listed here.

/** The prompt members that all engines share. */
export function promptOf(
  request: ChatRequest,
  modelName: string,
  neutralise: Neutralise,
  reasoningMember: ReasoningMember = 'reasoning_content',
) {
  return {
    model: modelName,
    messages: engineMessages(request.messages, neutralise, reasoningMember),
    ...responseFormatOf(request),
  }
}

/** The tools that the model sees, or undefined if it must see none. */
export function offeredTools({ tools, tool_choice: choice }: ChatRequest, neutralise: Neutralise) {
  if (!tools || tools.length === 0 || choice === 'none') return undefined
  return tools.map(({ function: { name, description, parameters } }) => ({
    type: 'function' as const,
    function: {
      name: neutralise(name),
      ...(description ? { description: neutralise(description) } : {}),
      // All names and texts in a schema are rendered.
      parameters: neutraliseSchema(parameters ?? { type: 'object', properties: {} }, neutralise),
    },
  }))
}

const TOP_P_MIN = 1e-6

export function samplingOf(request: ChatRequest): Record<string, number> {
  const { temperature, top_p, frequency_penalty, presence_penalty } = request
  const wanted = { temperature, top_p, frequency_penalty, presence_penalty }
  const set: Record<string, number> = {}
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined && value !== null) set[name] = value
  }
  // vLLM and SGLang refuse a top_p of 0. The smallest positive one chooses the same token.
  if (set['top_p'] === 0) set['top_p'] = TOP_P_MIN
  return set
}

/** Whether the model must call a tool, so that it cannot answer with text. */
export function forcesCall({ tool_choice: choice }: ChatRequest): boolean {
  return choice === 'required' || (typeof choice === 'object' && choice !== null)
}

/** The name of the tool that the request forces, if any. */
export function namedTool({ tool_choice: choice }: ChatRequest): string | undefined {
  return typeof choice === 'object' && choice !== null ? choice.function.name : undefined
}

/** A forced call has no text to format, and SGLang refuses a request that has both. */
function responseFormatOf(request: ChatRequest) {
  const { response_format: format } = request
  if (!format || format.type === 'text' || forcesCall(request)) return {}
  const schema = format.type === 'json_schema' ? format.json_schema.schema : format.schema
  if (!schema) return { response_format: { type: 'json_object' } }
  const name = format.type === 'json_schema' ? format.json_schema.name : 'reply'
  return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } }
}

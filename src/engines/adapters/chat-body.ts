import type { ChatRequest } from '../../contract/chat-request.ts'
import { engineMessages } from './engine-messages.ts'
import { neutraliseSchema } from './neutralise-schema.ts'
import type { Neutralise } from './neutralise.ts'

// Engines merge or ignore unknown members, so they receive a fixed list of members: nothing from a
// client reaches an engine unless it is listed here.

/** The prompt members that all engines share. */
export function promptOf(request: ChatRequest, modelName: string, neutralise: Neutralise) {
  return {
    model: modelName,
    messages: engineMessages(request.messages, neutralise),
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

export function samplingOf(request: ChatRequest): Record<string, number> {
  const { temperature, top_p, frequency_penalty, presence_penalty } = request
  const wanted = { temperature, top_p, frequency_penalty, presence_penalty }
  const set: Record<string, number> = {}
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined && value !== null) set[name] = value
  }
  return set
}

/** The name of the tool that the request forces, if any. */
export function namedTool({ tool_choice: choice }: ChatRequest): string | undefined {
  return typeof choice === 'object' && choice !== null ? choice.function.name : undefined
}

function responseFormatOf({ response_format: format }: ChatRequest) {
  if (!format || format.type === 'text') return {}
  const schema = format.type === 'json_schema' ? format.json_schema.schema : format.schema
  if (!schema) return { response_format: { type: 'json_object' } }
  const name = format.type === 'json_schema' ? format.json_schema.name : 'reply'
  return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } }
}

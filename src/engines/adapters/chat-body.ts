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
  reasoningMember: ReasoningMember | undefined,
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

/**
 * For servers that treat a named choice as `auto`, or show tools to the model even with `none`:
 * both are expressed by the list of tools.
 */
export function requiredTools(
  request: ChatRequest,
  neutralise: Neutralise,
  forcedMembers: object = {},
): object {
  const { parallel_tool_calls: parallel } = request
  const tools = offeredTools(request, neutralise)
  if (tools === undefined) return {}
  const choiceName = namedTool(request)
  const named = choiceName === undefined ? undefined : neutralise(choiceName)
  const shown = named === undefined ? tools : tools.filter((tool) => tool.function.name === named)
  const more = forcesCall(request) ? forcedMembers : {}
  return {
    tools: shown.map((tool) => ({ ...tool, function: { ...tool.function, ...more } })),
    tool_choice: forcesCall(request) ? 'required' : 'auto',
    ...(parallel === undefined || parallel === null ? {} : { parallel_tool_calls: parallel }),
  }
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

/** What an engine must be able to do for a request. A forced call has no text to format. */
export function needsOf(request: ChatRequest): readonly ('tool_choice' | 'json_schema')[] {
  if (forcesCall(request)) return ['tool_choice']
  return (request.response_format ?? { type: 'text' }).type === 'text' ? [] : ['json_schema']
}

/** The name of the tool that the request forces, if any. */
function namedTool({ tool_choice: choice }: ChatRequest): string | undefined {
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

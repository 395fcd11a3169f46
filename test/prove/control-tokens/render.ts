import type { ChatRequest } from '../../../src/contract/chat-request.ts'
import { promptOf } from '../../../src/engines/adapters/chat-body.ts'
import type { Neutralise } from '../../../src/engines/adapters/neutralise.ts'
import { toolsWithChoice } from '../../../src/engines/adapters/vllm.ts'

/** A request with the text in every place that can reach a prompt. */
function requestWith(text: string): ChatRequest {
  const half = Math.ceil(text.length / 2)
  const parts = [text.slice(0, half), text.slice(half)].map((part) => ({
    type: 'text' as const,
    text: part,
  }))
  const call = {
    id: text,
    type: 'function' as const,
    function: { name: text, arguments: JSON.stringify({ [text]: text, nested: [{ a: text }] }) },
  }
  const city = { type: 'string', description: text, enum: [text], [text]: text, title: text }
  const parameters = {
    type: 'object',
    description: text,
    properties: { city, [text]: { type: 'string', default: { [text]: text } } },
    required: [text],
    $defs: { [text]: { type: 'string' } },
    [text]: text,
  }
  return {
    model: 'any',
    messages: [
      { role: 'system', content: text },
      { role: 'developer', content: text },
      { role: 'user', content: parts },
      { role: 'user', content: [{ type: 'text', text: 'First.' }, ...parts, ...parts] },
      { role: 'assistant', content: text, reasoning_content: text, tool_calls: [call] },
      { role: 'tool', tool_call_id: text, content: text },
      { role: 'tool', tool_call_id: text, content: parts },
      { role: 'user', content: text },
    ],
    tools: [{ type: 'function', function: { name: text, description: text, parameters } }],
    tool_choice: { type: 'function', function: { name: text } },
  }
}

type Json = Readonly<Record<string, unknown>>

/**
 * What the templates of models make of a request: every text alone and in JSON, and each name
 * between the brackets that some template puts around it. None of this is a control token itself.
 */
export function renderRequest(text: string, neutralise: Neutralise): string[] {
  const request = requestWith(text)
  const { messages } = promptOf(request, 'any', neutralise, 'reasoning_content')
  const { tools } = toolsWithChoice(request, neutralise) as { tools: { function: Json }[] }
  const calls = messages.flatMap(({ tool_calls: made = [] }) => made)
  return [
    ...messages.flatMap(({ content, reasoning_content: thought = '', tool_call_id: id = '' }) => [
      content,
      thought,
      id,
      `user\n${content}\n`,
      JSON.stringify({ content }),
    ]),
    ...calls.flatMap((call) => [
      call.id,
      // Qwen3-Coder writes a call as <function=name>, and others as [name(…)].
      `<function=${call.function.name}>`,
      `[${call.function.name}(`,
      call.function.arguments,
      ...textsIn(JSON.parse(call.function.arguments)),
      ...namesIn(JSON.parse(call.function.arguments)).flatMap((name) => [
        `<parameter=${name}>`,
        `name="${name}">`,
        `${name}=`,
      ]),
    ]),
    JSON.stringify(tools),
    ...tools.flatMap(({ function: { name, description, parameters } }) => [
      `<name>${String(name)}</name>`,
      `<function=${String(name)}>`,
      String(description),
      ...textsIn(parameters),
      ...renderKeywords(parameters as Json),
    ]),
  ]
}

/** Qwen3-Coder and Nemotron write keywords of schemas that they do not know as elements. */
function renderKeywords({ properties, ...schema }: Json): string[] {
  const inside = Object.values((properties ?? {}) as Json).flatMap((each) => elements(each as Json))
  return [...elements(schema), ...inside]
}

const KNOWN = new Set(['type', 'description', 'enum', 'required', 'title', 'default', '$defs'])

function elements(schema: Json): string[] {
  return Object.entries(schema)
    .filter(([name]) => !KNOWN.has(name))
    .map(([name, value]) => `\n<${name}>${String(value)}</${name}>`)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return [...Object.values(value).flatMap(textsIn), ...namesIn(value)]
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

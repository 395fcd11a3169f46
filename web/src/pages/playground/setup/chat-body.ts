import type { ChatRequest } from '../../../../../src/contract/chat-request.ts'
import type { PlaygroundSearch } from '../search.ts'
import { NUMBER_NAMES, readNumber, readStop } from './parameters.ts'
import type { SchemaFormat, ToolFunction } from './read-json.ts'

export type Message = ChatRequest['messages'][number]
export type ChatBody = ChatRequest & { readonly stream: true }

/** What is set outside of the address. */
export type Texts = {
  readonly system: string
  readonly tools: readonly ToolFunction[]
  readonly schema: SchemaFormat | null
}

/** Parameters beside those that the playground always sends. */
type More = Partial<Omit<ChatRequest, 'model' | 'messages' | 'stream'>>

/** The request exactly as it is sent, and as the Code tab shows it. */
export function chatBodyOf(
  model: string,
  search: PlaygroundSearch,
  texts: Texts,
  messages: readonly Message[],
): ChatBody {
  const system: Message[] =
    texts.system.trim() === '' ? [] : [{ role: 'system', content: texts.system }]
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(search.reasoning_effort !== undefined && { reasoning_effort: search.reasoning_effort }),
    ...numbersOf(search),
    ...formatOf(search, texts),
    messages: [...system, ...messages],
    ...toolsOf(search, texts),
  }
}

function numbersOf(search: PlaygroundSearch): More {
  const numbers = NUMBER_NAMES.flatMap((name) => {
    const value = readNumber(name, search[name])
    return typeof value === 'number' ? [[name, value] as const] : []
  })
  const stop = readStop(search.stop)
  return { ...Object.fromEntries(numbers), ...(stop && { stop: [...stop] }) }
}

function formatOf({ format }: PlaygroundSearch, { schema }: Texts): More {
  if (format === 'json_object') return { response_format: { type: 'json_object' } }
  if (format !== 'json_schema' || schema === null) return {}
  return { response_format: { type: 'json_schema', json_schema: schema } }
}

const CHOICES = ['none', 'auto', 'required'] as const

function toolsOf(search: PlaygroundSearch, { tools }: Texts): More {
  if (tools.length === 0) return {}
  const { tool_choice: chosen, parallel_tool_calls: parallel } = search
  const word = CHOICES.find((choice) => choice === chosen)
  const named = tools.find((tool) => tool.name === chosen)
  return {
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(word !== undefined && { tool_choice: word }),
    ...(word === undefined &&
      named !== undefined && {
        tool_choice: { type: 'function' as const, function: { name: named.name } },
      }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel === 'true' }),
  }
}

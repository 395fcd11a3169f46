import type { ChatRequest } from '../../../contract/chat-request.ts'

// No model answers these right by itself: words that do not exist show that the engine enforces a
// schema, and does not only pass it on to a willing model.

const WORDS = ['quorvexil', 'blimtarn'] as const

const PARAMETERS = {
  type: 'object',
  properties: { word: { enum: WORDS } },
  required: ['word'],
  additionalProperties: false,
}

const TOOL = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city',
    parameters: PARAMETERS,
  },
}

export const QUESTION: ChatRequest = {
  model: 'probe',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  temperature: 0,
}

/** Must be answered with a call whose arguments have one of the words. */
export const FORCED_CALLS: readonly ChatRequest[] = [
  { ...QUESTION, tools: [TOOL], tool_choice: 'required' },
  {
    ...QUESTION,
    tools: [TOOL],
    tool_choice: { type: 'function', function: { name: TOOL.function.name } },
  },
]

/** Must be answered with a JSON object that has one of the words. */
export const FORMATTED: ChatRequest = {
  ...QUESTION,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'weather', strict: true, schema: PARAMETERS },
  },
}

/** Prompts that templates render in different ways, and that engines count wrong if at all. */
export const COUNTED: readonly ChatRequest[] = [
  QUESTION,
  { ...QUESTION, tools: [TOOL], tool_choice: 'auto' },
  {
    ...QUESTION,
    tools: [TOOL],
    messages: [
      ...QUESTION.messages,
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'The user asks about the weather.',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: TOOL.function.name, arguments: JSON.stringify({ word: WORDS[0] }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
    ],
  },
]

/** Whether a text is a JSON object with one of the words and nothing else. */
export function hasWord(text: string): boolean {
  try {
    const value = JSON.parse(text) as { word?: unknown }
    return WORDS.some((word) => word === value.word) && Object.keys(value).length === 1
  } catch {
    return false
  }
}

/** A conversation in which a client's text stands in one place. */
export type Field = {
  readonly name: string
  /** Whether the demo model's template shows the place to the model at all. */
  readonly rendered: boolean
  build(text: string): object
}

type Conversation = {
  system: unknown
  systemRole: 'system' | 'developer'
  user: unknown
  answer: unknown
  reasoning: string
  callId: string
  answeredId: string
  callName: string
  callArguments: string
  result: unknown
  tool: object
  more: object
}

const CALL_ID = 'call_1'
const TOOL_NAME = 'get_weather'

function toolWith(change: object): object {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  return { name: TOOL_NAME, description: 'The weather of a city.', parameters, ...change }
}

function toolWithSchema(properties: object, more: object = {}): object {
  return toolWith({ parameters: { type: 'object', properties, ...more } })
}

/** Every kind of turn once; the markup that the template adds to it is in `EXPECTED`. */
function conversation(change: Partial<Conversation>): object {
  const { more, ...it } = {
    system: 'Be brief.',
    systemRole: 'system',
    user: 'What is the weather in Rome?',
    answer: 'I will look.',
    reasoning: 'The user wants the weather.',
    callId: CALL_ID,
    answeredId: CALL_ID,
    callName: TOOL_NAME,
    callArguments: '{"city":"Rome"}',
    result: 'Sunny.',
    tool: toolWith({}),
    more: {},
    ...change,
  }
  const called = { name: it.callName, arguments: it.callArguments }
  return {
    messages: [
      { role: it.systemRole, content: it.system },
      { role: 'user', content: it.user },
      {
        role: 'assistant',
        content: it.answer,
        reasoning_content: it.reasoning,
        tool_calls: [{ id: it.callId, type: 'function', function: called }],
      },
      { role: 'tool', tool_call_id: it.answeredId, content: it.result },
      { role: 'user', content: 'Thank you. And tomorrow?' },
    ],
    tools: [{ type: 'function', function: it.tool }],
    ...more,
  }
}

/** Control tokens of the prompt of `conversation` as its turns have them, and no others. */
export const EXPECTED: readonly string[] = [
  '<|im_start|> <tools> </tools> <|im_end|>',
  '<|im_start|> <|im_end|>',
  '<|im_start|> <think> </think> <tool_call> </tool_call> <|im_end|>',
  '<|im_start|> <tool_response> </tool_response> <|im_end|>',
  '<|im_start|> <|im_end|>',
  '<|im_start|> <think>',
].flatMap((turn) => turn.split(' '))

const parts = (text: string) => [
  { type: 'text', text: 'First.' },
  { type: 'text', text },
]

/** Half of the text in each part: joining them must not make it whole. */
const halves = (text: string) => [
  { type: 'text', text: text.slice(0, Math.ceil(text.length / 2)) },
  { type: 'text', text: text.slice(Math.ceil(text.length / 2)) },
]

/** JSON in which every character is an escape: whoever parses it gets the text back. */
function escaped(text: string): string {
  const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')
}

const shown = (name: string, change: (text: string) => Partial<Conversation>): Field => ({
  name,
  rendered: true,
  build: (text) => conversation(change(text)),
})

const unseen = (name: string, change: (text: string) => Partial<Conversation>): Field => ({
  ...shown(name, change),
  rendered: false,
})

const MESSAGE_FIELDS: readonly Field[] = [
  shown('system', (text) => ({ system: text })),
  shown('system parts', (text) => ({ system: parts(text) })),
  shown('developer', (text) => ({ systemRole: 'developer', system: text })),
  shown('developer parts', (text) => ({ systemRole: 'developer', system: parts(text) })),
  shown('user', (text) => ({ user: text })),
  shown('user parts', (text) => ({ user: parts(text) })),
  unseen('user halves', (text) => ({ user: halves(text) })),
  shown('assistant', (text) => ({ answer: text })),
  shown('assistant parts', (text) => ({ answer: parts(text) })),
  shown('reasoning_content', (text) => ({ reasoning: text })),
  shown('tool result', (text) => ({ result: text })),
  shown('tool result parts', (text) => ({ result: parts(text) })),
  unseen('tool_call_id', (text) => ({ callId: text, answeredId: text })),
]

const CALL_FIELDS: readonly Field[] = [
  shown('call name', (text) => ({ callName: text })),
  shown('argument', (text) => ({ callArguments: JSON.stringify({ city: text }) })),
  shown('argument name', (text) => ({ callArguments: JSON.stringify({ [text]: 'Rome' }) })),
  shown('arguments nested', (text) => ({ callArguments: JSON.stringify({ a: [{ b: text }] }) })),
  shown('arguments as text', (text) => ({ callArguments: JSON.stringify(text) })),
  shown('argument escaped', (text) => ({ callArguments: `{"city":"${escaped(text)}"}` })),
  shown('argument name escaped', (text) => ({ callArguments: `{"${escaped(text)}":1}` })),
]

const TOOL_FIELDS: readonly Field[] = [
  shown('tool name', (text) => ({ tool: toolWith({ name: text }) })),
  shown('tool description', (text) => ({ tool: toolWith({ description: text }) })),
  shown('property name', (text) => ({ tool: toolWithSchema({ [text]: { type: 'string' } }) })),
  shown('property description', (text) => ({
    tool: toolWithSchema({ city: { type: 'string', description: text } }),
  })),
  shown('property title', (text) => ({
    tool: toolWithSchema({ city: { type: 'string', title: text } }),
  })),
  shown('enum value', (text) => ({
    tool: toolWithSchema({ city: { type: 'string', enum: [text] } }),
  })),
  shown('default value', (text) => ({
    tool: toolWithSchema({ city: { type: 'string', default: text } }),
  })),
  shown('required name', (text) => ({
    tool: toolWithSchema({ [text]: { type: 'string' } }, { required: [text] }),
  })),
  shown('definition name', (text) => ({
    tool: toolWithSchema({ city: { type: 'string' } }, { $defs: { [text]: { type: 'string' } } }),
  })),
  shown('chosen tool', (text) => ({
    tool: toolWith({ name: text }),
    more: { tool_choice: { type: 'function', function: { name: text } } },
  })),
]

function formatWith(name: string, text: string): object {
  const city = { type: 'string', description: text, enum: [text] }
  const schema = { type: 'object', description: text, properties: { [text]: city } }
  return { response_format: { type: 'json_schema', json_schema: { name, schema } } }
}

/** An engine takes tools or a format; these have no tools to offer. */
const FORMAT_FIELDS: readonly Field[] = [
  unseen('format schema', (text) => ({
    more: { tool_choice: 'none', ...formatWith('reply', text) },
  })),
  unseen('format name', (text) => ({ more: { tool_choice: 'none', ...formatWith(text, 'city') } })),
]

export const FIELDS: readonly Field[] = [
  ...MESSAGE_FIELDS,
  ...CALL_FIELDS,
  ...TOOL_FIELDS,
  ...FORMAT_FIELDS,
]

/** A place in a conversation for a client's text. */
export type Field = {
  readonly name: string
  /** Whether the demo model's template renders the place at all. */
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

/** Every kind of turn once; `EXPECTED` is the markup that the template adds to it. */
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

/** The control tokens of the prompt of `conversation`, turn by turn, and no others. */
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

/** JSON in which every character is an escape: parsing it restores the text. */
function escaped(text: string): string {
  const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')
}

type Change = (text: string) => Partial<Conversation>

/** A tool with a parameter `city`, changed, or with other parameters. */
const withCity = (change: object) => withSchema({ city: { type: 'string', ...change } })
const withSchema = (properties: object, more: object = {}): Partial<Conversation> => ({
  tool: toolWith({ parameters: { type: 'object', properties, ...more } }),
})

const RENDERED: Readonly<Record<string, Change>> = {
  system: (text) => ({ system: text }),
  'system parts': (text) => ({ system: parts(text) }),
  developer: (text) => ({ systemRole: 'developer', system: text }),
  'developer parts': (text) => ({ systemRole: 'developer', system: parts(text) }),
  user: (text) => ({ user: text }),
  'user parts': (text) => ({ user: parts(text) }),
  assistant: (text) => ({ answer: text }),
  'assistant parts': (text) => ({ answer: parts(text) }),
  reasoning_content: (text) => ({ reasoning: text }),
  'tool result': (text) => ({ result: text }),
  'tool result parts': (text) => ({ result: parts(text) }),

  'call name': (text) => ({ callName: text }),
  argument: (text) => ({ callArguments: JSON.stringify({ city: text }) }),
  'argument name': (text) => ({ callArguments: JSON.stringify({ [text]: 'Rome' }) }),
  'arguments nested': (text) => ({ callArguments: JSON.stringify({ a: [{ b: text }] }) }),
  'arguments as text': (text) => ({ callArguments: JSON.stringify(text) }),
  'argument escaped': (text) => ({ callArguments: `{"city":"${escaped(text)}"}` }),
  'argument name escaped': (text) => ({ callArguments: `{"${escaped(text)}":1}` }),

  'tool name': (text) => ({ tool: toolWith({ name: text }) }),
  'tool description': (text) => ({ tool: toolWith({ description: text }) }),
  'property name': (text) => withSchema({ [text]: { type: 'string' } }),
  'property description': (text) => withCity({ description: text }),
  'property title': (text) => withCity({ title: text }),
  'enum value': (text) => withCity({ enum: [text] }),
  'default value': (text) => withCity({ default: text }),
  'required name': (text) => withSchema({ [text]: { type: 'string' } }, { required: [text] }),
  'definition name': (text) =>
    withSchema({ city: { type: 'string' } }, { $defs: { [text]: { type: 'string' } } }),
  'chosen tool': (text) => ({
    tool: toolWith({ name: text }),
    more: { tool_choice: { type: 'function', function: { name: text } } },
  }),
}

/** An engine takes tools or a format, so this offers no tools. */
function withFormat(name: string, text: string): Partial<Conversation> {
  const city = { type: 'string', description: text, enum: [text] }
  const schema = { type: 'object', description: text, properties: { [text]: city } }
  const response_format = { type: 'json_schema', json_schema: { name, schema } }
  return { more: { tool_choice: 'none', response_format } }
}

const NOT_RENDERED: Readonly<Record<string, Change>> = {
  'user halves': (text) => ({ user: halves(text) }),
  tool_call_id: (text) => ({ callId: text, answeredId: text }),
  'format schema': (text) => withFormat('reply', text),
  'format name': (text) => withFormat(text, 'city'),
}

function fieldsOf(changes: Readonly<Record<string, Change>>, rendered: boolean): Field[] {
  return Object.entries(changes).map(([name, change]) => ({
    name,
    rendered,
    build: (text) => conversation(change(text)),
  }))
}

export const FIELDS: readonly Field[] = [
  ...fieldsOf(RENDERED, true),
  ...fieldsOf(NOT_RENDERED, false),
]

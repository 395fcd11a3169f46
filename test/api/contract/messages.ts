import assert from 'node:assert/strict'
import { readError } from '../client.ts'
import { type BodyCase, bodyRules, CANARY, type Rule, rules } from './rule.ts'
import { STRICT_MODEL } from './start.ts'

const USER = { role: 'user', content: `Hello ${CANARY}` }
const CALL = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'found' }
const TEXT = { type: 'text', text: CANARY }

/** The messages of a request, and the parameter that is invalid if they are not accepted. */
type Messages = readonly [name: string, messages: readonly unknown[], invalid?: string]

function messageRules(topic: string, cases: readonly Messages[]): Rule[] {
  return bodyRules(
    topic,
    cases.map(([name, messages, invalid]) => [name, { messages }, invalid]),
  )
}

function user(...content: readonly unknown[]): object[] {
  return [{ role: 'user', content }]
}

function assistant(members: object): object[] {
  return [USER, { role: 'assistant', ...members }, USER]
}

/** A turn that calls a tool, and the tool's answer. */
function called(call: object, members: object = { content: null }): object[] {
  return [USER, { role: 'assistant', ...members, tool_calls: [call] }, RESULT]
}

function withFunction(members: object): object[] {
  return called({ ...CALL, function: members })
}

const PLAIN_ROLES = ['system', 'developer', 'user'].flatMap((role): Messages[] => [
  [`${role} with a string`, [{ role, content: CANARY }, USER]],
  [`${role} with a text part`, [{ role, content: [TEXT] }, USER]],
  [`${role} with text parts`, [{ role, content: [TEXT, TEXT] }, USER]],
  [`${role} with null`, [{ role, content: null }], 'messages[0].content'],
  [`${role} without content`, [{ role }], 'messages[0].content'],
  [`${role} with a number`, [{ role, content: 3 }], 'messages[0].content'],
  [`${role} with an object`, [{ role, content: {} }], 'messages[0].content'],
])

const OTHERS: readonly Messages[] = [
  ['the role function', [{ ...USER, role: 'function' }], 'messages[0].role'],
  ['an unknown role', [{ ...USER, role: 'critic' }], 'messages[0].role'],
  ['a role of another type', [{ ...USER, role: 1 }], 'messages[0].role'],
  ['a message without a role', [{ content: 'x' }], 'messages[0].role'],
  ['a message that is a string', ['Hello'], 'messages[0]'],
  ['a message that is null', [USER, null], 'messages[1]'],
  ['a message with a name', [{ ...USER, name: 'alice' }]],
  ['an empty string as content', [{ role: 'user', content: '' }, USER]],
]

/** Input is text only: each of these is rejected, and the path says which part it is. */
const OTHER_PARTS = ['image_url', 'input_image', 'input_audio', 'audio', 'file', 'video_url']

const PARTS: readonly Messages[] = [
  ...[...OTHER_PARTS, 'refusal'].map((type): Messages => [
    `a part of type ${type}`,
    user(TEXT, { type, [type]: { url: 'data:,x' } }),
    'messages[0].content[1].type',
  ]),
  ['a part without a type', user({ text: 'x' }), 'messages[0].content[0].type'],
  ['a text part without text', user({ type: 'text' }), 'messages[0].content[0].text'],
  [
    'a text part whose text is null',
    user({ type: 'text', text: null }),
    'messages[0].content[0].text',
  ],
  ['a part that is a string', user('x'), 'messages[0].content[0]'],
  ['a text part with a member of its own', user({ ...TEXT, cache_control: { type: 'ephemeral' } })],
]

const ECHOED = {
  content: 'Hi',
  refusal: null,
  annotations: [],
  audio: null,
  function_call: null,
  name: 'bot',
  id: 'm',
}

const ASSISTANT: readonly Messages[] = [
  ['assistant with a string', assistant({ content: 'Hi' })],
  ['assistant with text parts', assistant({ content: [TEXT] })],
  ['assistant with null', assistant({ content: null })],
  ['assistant with reasoning', assistant({ content: 'Hi', reasoning_content: 'They greet.' })],
  ['assistant with null for reasoning', assistant({ content: 'Hi', reasoning_content: null })],
  [
    'assistant with reasoning of another type',
    assistant({ content: 'Hi', reasoning_content: 5 }),
    'messages[1].reasoning_content',
  ],
  ['assistant with nothing', assistant({}), 'messages[1].content'],
  ['assistant with a number', assistant({ content: 5 }), 'messages[1].content'],
  ['assistant with a call and null', called(CALL)],
  ['assistant with a call and an empty string', called(CALL, { content: '' })],
  ['assistant with a call and no content', called(CALL, {})],
  ['assistant with null for calls', assistant({ content: 'Hi', tool_calls: null })],
  [
    'assistant with calls that are no array',
    assistant({ content: 'Hi', tool_calls: {} }),
    'messages[1].tool_calls',
  ],
  ['assistant with audio', assistant({ content: 'Hi', audio: { id: 'a' } }), 'messages[1].audio'],
  [
    'assistant with a function_call',
    assistant({ content: null, function_call: { name: 'f', arguments: '{}' } }),
    'messages[1].function_call',
  ],
  ['assistant with all that clients echo', assistant(ECHOED)],
]

const AT = 'messages[1].tool_calls[0]'

const CALLS: readonly Messages[] = [
  ['a call without an id', called({ ...CALL, id: undefined }), `${AT}.id`],
  ['a call of another type', called({ ...CALL, type: 'custom' }), `${AT}.type`],
  ['a call without a function', called({ ...CALL, function: undefined }), `${AT}.function`],
  ['a call without a name', withFunction({ arguments: '{}' }), `${AT}.function.name`],
  [
    'a call with arguments that are no string',
    withFunction({ name: 'look_up', arguments: {} }),
    `${AT}.function.arguments`,
  ],
  [
    'a call with arguments that are no JSON',
    withFunction({ name: 'look_up', arguments: '{"cut' }),
    `${AT}.function.arguments`,
  ],
  [
    'a call with arguments that are nested too deep',
    withFunction({ name: 'look_up', arguments: '['.repeat(7_000) + ']'.repeat(7_000) }),
    `${AT}.function.arguments`,
  ],
  [
    'a call with parsed arguments',
    withFunction({ name: 'look_up', arguments: '{}', parsed_arguments: null }),
  ],
  ['tool with a name', [...called(CALL).slice(0, 2), { ...RESULT, name: 'look_up' }]],
  ['a call with empty arguments', withFunction({ name: 'look_up', arguments: '' })],
  ['a call with an index of its own', called({ ...CALL, index: 0 })],
  ['tool without tool_call_id', [USER, { role: 'tool', content: 'x' }], 'messages[1].tool_call_id'],
  [
    'tool with tool_call_id of another type',
    [USER, { ...RESULT, tool_call_id: 1 }],
    'messages[1].tool_call_id',
  ],
  ['tool without content', [USER, { role: 'tool', tool_call_id: 'call_1' }], 'messages[1].content'],
]

/** The model that needs the reasoning of every earlier assistant message. */
const STRICT = (
  [
    ['no earlier turn', [USER]],
    ['a turn with its reasoning', assistant({ content: 'a', reasoning_content: 'b' })],
    ['a turn with empty reasoning', assistant({ content: 'a', reasoning_content: '' })],
    ['a turn without its reasoning', assistant({ content: 'a' }), 1],
    ['a turn with null', assistant({ content: 'a', reasoning_content: null }), 1],
    ['a tool-call turn without its reasoning', called(CALL), 1],
    [
      'only the second turn without its reasoning',
      [...assistant({ content: 'a', reasoning_content: 'b' }), { role: 'assistant', content: 'c' }],
      3,
    ],
  ] as [string, unknown[], number?][]
).map(([name, messages, missing]): BodyCase => [
  name,
  { model: STRICT_MODEL, messages },
  missing === undefined
    ? undefined
    : ['missing_required_parameter', `messages[${missing}].reasoning_content`],
])

export const MESSAGES: readonly Rule[] = [
  ...messageRules('message', [...PLAIN_ROLES, ...OTHERS]),
  ...messageRules('part', PARTS),
  ...messageRules('assistant', ASSISTANT),
  ...messageRules('call', CALLS),
  ...bodyRules('reasoning-history', STRICT),
  ...rules('reasoning-history', {
    'wording: the message names the turn without its reasoning': async (api) => {
      const answer = await api.chat({ model: STRICT_MODEL, messages: assistant({ content: 'a' }) })
      assert.match(readError(answer).message, /messages\[1\]\.reasoning_content/)
    },
  }),
]

import { bodyRules, CANARY, type BodyCase, type Outcome, type Rule } from './rule.ts'
import { STRICT_MODEL } from './world.ts'

const USER = { role: 'user', content: `Hello ${CANARY}` }
const CALL = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'found' }
const TEXT = { type: 'text', text: CANARY }

/** Messages between two of the user's, as the conversation of one request. */
function conversation(name: string, messages: readonly unknown[], outcome: Outcome): BodyCase {
  return [name, { messages }, outcome]
}

function invalid(at: string): Outcome {
  return ['invalid_value', at]
}

const PLAIN_ROLES = ['system', 'developer', 'user'].flatMap((role) => [
  conversation(`${role} with a string`, [{ role, content: CANARY }, USER], 'accepted'),
  conversation(`${role} with a text part`, [{ role, content: [TEXT] }, USER], 'accepted'),
  conversation(`${role} with text parts`, [{ role, content: [TEXT, TEXT] }, USER], 'accepted'),
  conversation(`${role} with null`, [{ role, content: null }], invalid('messages[0].content')),
  conversation(`${role} without content`, [{ role }], invalid('messages[0].content')),
  conversation(`${role} with a number`, [{ role, content: 3 }], invalid('messages[0].content')),
  conversation(`${role} with an object`, [{ role, content: {} }], invalid('messages[0].content')),
])

/** Input is text only: each of these is refused, and the path says which part it is. */
const PARTS: readonly BodyCase[] = [
  ...['image_url', 'input_image', 'input_audio', 'audio', 'file', 'video_url', 'refusal'].map(
    (type) =>
      conversation(
        `a part of type ${type}`,
        [{ role: 'user', content: [TEXT, { type, [type]: { url: 'data:,x' } }] }],
        invalid('messages[0].content[1].type'),
      ),
  ),
  conversation(
    'a part without a type',
    [{ role: 'user', content: [{ text: 'x' }] }],
    invalid('messages[0].content[0].type'),
  ),
  conversation(
    'a text part without text',
    [{ role: 'user', content: [{ type: 'text' }] }],
    invalid('messages[0].content[0].text'),
  ),
  conversation(
    'a text part whose text is null',
    [{ role: 'user', content: [{ type: 'text', text: null }] }],
    invalid('messages[0].content[0].text'),
  ),
  conversation(
    'a part that is a string',
    [{ role: 'user', content: ['x'] }],
    invalid('messages[0].content[0]'),
  ),
  conversation(
    'a text part with a member of its own',
    [{ role: 'user', content: [{ ...TEXT, cache_control: { type: 'ephemeral' } }] }],
    'accepted',
  ),
]

function assistant(members: object): object[] {
  return [USER, { role: 'assistant', ...members }, USER]
}

function called(call: object): object[] {
  return [USER, { role: 'assistant', content: null, tool_calls: [call] }, RESULT]
}

const ASSISTANT: readonly BodyCase[] = [
  conversation('assistant with a string', assistant({ content: 'Hi' }), 'accepted'),
  conversation('assistant with text parts', assistant({ content: [TEXT] }), 'accepted'),
  conversation('assistant with null', assistant({ content: null }), 'accepted'),
  conversation(
    'assistant with reasoning',
    assistant({ content: 'Hi', reasoning_content: 'They greet.' }),
    'accepted',
  ),
  conversation(
    'assistant with null for reasoning',
    assistant({ content: 'Hi', reasoning_content: null }),
    'accepted',
  ),
  conversation(
    'assistant with reasoning of another type',
    assistant({ content: 'Hi', reasoning_content: 5 }),
    invalid('messages[1].reasoning_content'),
  ),
  conversation('assistant with nothing', assistant({}), invalid('messages[1].content')),
  conversation(
    'assistant with a number',
    assistant({ content: 5 }),
    invalid('messages[1].content'),
  ),
  conversation('assistant with a call and null', called(CALL), 'accepted'),
  conversation(
    'assistant with a call and an empty string',
    [USER, { role: 'assistant', content: '', tool_calls: [CALL] }, RESULT],
    'accepted',
  ),
  conversation(
    'assistant with a call and no content',
    [USER, { role: 'assistant', tool_calls: [CALL] }, RESULT],
    'accepted',
  ),
  conversation(
    'assistant with null for calls',
    assistant({ content: 'Hi', tool_calls: null }),
    'accepted',
  ),
  conversation(
    'assistant with calls that are no array',
    assistant({ content: 'Hi', tool_calls: {} }),
    invalid('messages[1].tool_calls'),
  ),
  conversation(
    'assistant with audio',
    assistant({ content: 'Hi', audio: { id: 'a' } }),
    invalid('messages[1].audio'),
  ),
  conversation(
    'assistant with a function_call',
    assistant({ content: null, function_call: { name: 'f', arguments: '{}' } }),
    invalid('messages[1].function_call'),
  ),
  conversation(
    'assistant with all that clients echo',
    assistant({ content: 'Hi', refusal: null, annotations: [], audio: null, name: 'bot', id: 'm' }),
    'accepted',
  ),
]

const CALLS: readonly BodyCase[] = [
  conversation(
    'a call without an id',
    called({ ...CALL, id: undefined }),
    invalid('messages[1].tool_calls[0].id'),
  ),
  conversation(
    'a call of another type',
    called({ ...CALL, type: 'custom' }),
    invalid('messages[1].tool_calls[0].type'),
  ),
  conversation(
    'a call without a function',
    called({ ...CALL, function: undefined }),
    invalid('messages[1].tool_calls[0].function'),
  ),
  conversation(
    'a call without a name',
    called({ ...CALL, function: { arguments: '{}' } }),
    invalid('messages[1].tool_calls[0].function.name'),
  ),
  conversation(
    'a call with arguments that are no string',
    called({ ...CALL, function: { name: 'look_up', arguments: {} } }),
    invalid('messages[1].tool_calls[0].function.arguments'),
  ),
  conversation(
    'a call with arguments that are no JSON',
    called({ ...CALL, function: { name: 'look_up', arguments: '{"cut' } }),
    invalid('messages[1].tool_calls[0].function.arguments'),
  ),
  conversation(
    'a call with empty arguments',
    called({ ...CALL, function: { name: 'look_up', arguments: '' } }),
    'accepted',
  ),
  conversation('a call with an index of its own', called({ ...CALL, index: 0 }), 'accepted'),
  conversation(
    'tool without tool_call_id',
    [USER, { role: 'tool', content: 'x' }],
    invalid('messages[1].tool_call_id'),
  ),
  conversation(
    'tool with tool_call_id of another type',
    [USER, { role: 'tool', tool_call_id: 1, content: 'x' }],
    invalid('messages[1].tool_call_id'),
  ),
  conversation(
    'tool without content',
    [USER, { role: 'tool', tool_call_id: 'call_1' }],
    invalid('messages[1].content'),
  ),
]

const OTHERS: readonly BodyCase[] = [
  conversation('the role function', [{ ...USER, role: 'function' }], invalid('messages[0].role')),
  conversation('an unknown role', [{ ...USER, role: 'critic' }], invalid('messages[0].role')),
  conversation('a role of another type', [{ ...USER, role: 1 }], invalid('messages[0].role')),
  conversation('a message without a role', [{ content: 'x' }], invalid('messages[0].role')),
  conversation('a message that is a string', ['Hello'], invalid('messages[0]')),
  conversation('a message that is null', [USER, null], invalid('messages[1]')),
  conversation('a message with a name', [{ ...USER, name: 'alice' }], 'accepted'),
  conversation('an empty string as content', [{ role: 'user', content: '' }, USER], 'accepted'),
]

/** The model that needs the reasoning of every earlier assistant message. */
function strict(name: string, messages: readonly unknown[], outcome: Outcome): BodyCase {
  return [name, { model: STRICT_MODEL, messages }, outcome]
}

function missing(index: number): Outcome {
  return ['missing_required_parameter', `messages[${index}].reasoning_content`]
}

const STRICT: readonly BodyCase[] = [
  strict('no earlier turn', [USER], 'accepted'),
  strict(
    'a turn with its reasoning',
    assistant({ content: 'a', reasoning_content: 'b' }),
    'accepted',
  ),
  strict(
    'a turn with empty reasoning',
    assistant({ content: 'a', reasoning_content: '' }),
    'accepted',
  ),
  strict('a turn without its reasoning', assistant({ content: 'a' }), missing(1)),
  strict('a turn with null', assistant({ content: 'a', reasoning_content: null }), missing(1)),
  strict('a tool-call turn without its reasoning', called(CALL), missing(1)),
  strict(
    'only the second turn without its reasoning',
    [...assistant({ content: 'a', reasoning_content: 'b' }), { role: 'assistant', content: 'c' }],
    missing(3),
  ),
]

export const MESSAGES: readonly Rule[] = [
  ...bodyRules('message', [...PLAIN_ROLES, ...OTHERS]),
  ...bodyRules('part', PARTS),
  ...bodyRules('assistant', ASSISTANT),
  ...bodyRules('call', CALLS),
  ...bodyRules('reasoning-history', STRICT),
]

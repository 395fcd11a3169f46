// What an operator declares about an engine.
import { Type } from 'typebox'
import { characters, mapping, oneOf, text } from './schema-nodes.ts'

const RANKS_MAX = 64

export const Ranks = Type.Integer({
  minimum: 2,
  maximum: RANKS_MAX,
  description:
    'Ranks of a vLLM or SGLang server with data parallelism. Each is an engine of its own, with ' +
    'its own `slots`; its name ends with the rank: `name-dp0`.',
  expected: `an integer from 2 to ${RANKS_MAX}`,
})

export const Workers = oneOf(
  ['one', 'many'],
  'Whether the URL leads to one server (default), or to a router in front of several.',
)

export const Organization = characters(
  256,
  'Id of the only organization whose requests are sent to the engine.',
)

const Count = mapping(
  {
    path: text('/[\\x21-\\x7e]*', 1024, 'a path such as /tokenize', {
      description: 'Path that gets `model`, `messages` and `tools` of a request.',
    }),
    member: text('[A-Za-z0-9_]+', 64, 'the name of a member', {
      description: 'Member of its answer that has the number of tokens.',
    }),
  },
  'How the server counts a prompt without generating; omit if it cannot.',
)

export const Capabilities = mapping(
  {
    reasoning_field: oneOf(
      ['auto', 'reasoning', 'reasoning_content', 'none'],
      'Member in which reasoning of earlier turns is sent. `auto`: the one in which the server ' +
        'sends it. `none`: the model does not reason.',
      'auto',
    ),
    usage: oneOf(
      ['auto', 'reported', 'none'],
      'Token counts. `auto`: asked for, and estimated if none come. `reported`: an answer ' +
        'without them is a failure. `none`: not asked for.',
      'auto',
    ),
    tool_choice: oneOf(
      ['auto', 'enforced', 'none'],
      'Whether a forced tool call is made and follows its schema. `auto`: as the probe finds.',
      'auto',
    ),
    json_schema: oneOf(
      ['auto', 'enforced', 'none'],
      'Whether answers follow `response_format`. `auto`: as the probe finds.',
      'auto',
    ),
    cache: text('(none|shared|salt:[A-Za-z0-9_]+)', 80, 'none, shared, or salt:MEMBER', {
      description:
        'How cached prompts of organizations are kept apart. `salt:MEMBER`: by a text in this ' +
        'member of the request. `none`: not; the engine then needs `organization`. `shared`: ' +
        'not, and you accept that organizations can find out what others asked.',
      default: 'none',
    }),
    count: Type.Optional(Count),
    abort: oneOf(
      ['none', 'disconnect'],
      'Whether a generation ends when its connection is closed. `none`: it keeps its slot to ' +
        'its end after the client has left.',
      'none',
    ),
    context: oneOf(
      ['truncates', 'refuses'],
      'What the server does with a prompt that is too long. `truncates`: only requests that ' +
        'surely fit are sent.',
      'truncates',
    ),
  },
  'What a server of kind `openai` can do. What is not declared and not found by the probe counts ' +
    'as absent.',
)

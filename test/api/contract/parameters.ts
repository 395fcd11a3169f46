import assert from 'node:assert/strict'
import { readError } from '../client.ts'
import { scriptedModel } from '../../harness/fake-engine/scripts.ts'
import {
  type BodyCase,
  bodyRules,
  CANARY,
  expectAccepted,
  HELLO,
  type Rule,
  rules,
} from './rule.ts'
import { BARE_MODEL, SHUT_MODEL } from './start.ts'

/**
 * A parameter with accepted and rejected values, each under the words that say what the value is,
 * and parameters that must be sent with it.
 */
type Parameter = readonly [name: string, accepted: object, rejected: object, beside?: object]

const NOT_A_STRING = { 'a number': 1, 'a boolean': true, 'an object': {}, 'an array': ['low'] }
const NOT_A_NUMBER = { 'a string': '1', 'a boolean': true, 'an object': {}, 'an array': [1] }
const NOT_A_COUNT = { '0': 0, '-1': -1, '1.5': 1.5, ...NOT_A_NUMBER }
const NOT_A_BOOLEAN = { 'a string': 'true', 'a number': 1, 'an object': {}, 'an array': [true] }

const TOOLS = [{ type: 'function', function: { name: 'look_up' } }]

const OPTIONAL: readonly Parameter[] = [
  ['stream', { false: false, true: true }, NOT_A_BOOLEAN],
  [
    'stream_options',
    {
      'an empty object': {},
      'include_usage true': { include_usage: true },
      'include_usage false': { include_usage: false },
      'include_obfuscation false': { include_obfuscation: false },
      'include_obfuscation true': { include_obfuscation: true },
      both: { include_usage: true, include_obfuscation: false },
    },
    { 'a string': 'usage', 'a boolean': true, 'an array': [], 'a number': 1 },
    { stream: true },
  ],
  [
    'temperature',
    { '0': 0, '2': 2, '0.7': 0.7, 'next below 2': 1.999_999_999 },
    { 'next below 0': -1e-9, 'next above 2': 2.000_000_001, ...NOT_A_NUMBER },
  ],
  [
    'top_p',
    { '0': 0, '1': 1, '0.5': 0.5 },
    { 'next below 0': -1e-9, 'next above 1': 1.000_000_001, ...NOT_A_NUMBER },
  ],
  ['max_completion_tokens', { '1': 1, '2': 2, '1.0': 1 }, NOT_A_COUNT],
  ['max_tokens', { '1': 1, '2': 2 }, NOT_A_COUNT, { max_completion_tokens: undefined }],
  [
    'stop',
    { 'a string': '\n', 'one string': ['a'], 'four strings': ['a', 'b', 'c', 'd'] },
    {
      'an empty string': '',
      'an empty array': [],
      'five strings': ['a', 'b', 'c', 'd', 'e'],
      'a number': 1,
      'a boolean': true,
      'an object': {},
    },
  ],
  [
    'seed',
    {
      '0': 0,
      '42': 42,
      'a negative one': -7,
      'beyond 32 bits': 2 ** 40,
      'the largest': Number.MAX_SAFE_INTEGER,
    },
    { 'a fraction': 0.5, ...NOT_A_NUMBER },
  ],
  [
    'reasoning_effort',
    { low: 'low', medium: 'medium', high: 'high' },
    { 'no characters': '', '65 characters': 'e'.repeat(65), ...NOT_A_STRING },
  ],
  ['parallel_tool_calls', { true: true, false: false }, NOT_A_BOOLEAN, { tools: TOOLS }],
  ...['frequency_penalty', 'presence_penalty'].map((name): Parameter => [
    name,
    { '-2': -2, '0': 0, '2': 2, '0.25': 0.25 },
    { 'next below -2': -2.000_000_001, 'next above 2': 2.000_000_001, ...NOT_A_NUMBER },
  ]),
]

/** Parameters that the engine gets as they are, each with a value. Null is not sent to it. */
const FORWARDED = { temperature: 0.7, top_p: 0.5, frequency_penalty: 0.25, presence_penalty: -0.25 }

/** No other rule uses it: the last body that an engine got is kept for each script. */
const FORWARDING = 'never-says-done'

/** Only these values are accepted; any other, of any type, is `unsupported_value`. */
const FIXED: readonly Parameter[] = [
  ['n', { '1': 1 }, { '0': 0, '2': 2, '1.5': 1.5, '-1': -1, 'a string': '1', 'a boolean': true }],
  ['logprobs', { false: false }, { true: true, 'a string': 'false', 'a number': 0 }],
  [
    'logit_bias',
    { 'an empty object': {} },
    { 'a bias': { 50_256: -100 }, 'an array': [], 'a string': '{}' },
  ],
  ['store', { false: false }, { true: true, 'a string': 'no', 'a number': 0 }],
  [
    'modalities',
    { text: ['text'] },
    {
      audio: ['audio'],
      'text and audio': ['text', 'audio'],
      'text twice': ['text', 'text'],
      none: [],
      'a string': 'text',
    },
  ],
  ['verbosity', { medium: 'medium' }, { low: 'low', high: 'high', 'a number': 1 }],
  [
    'service_tier',
    { auto: 'auto', default: 'default' },
    { flex: 'flex', priority: 'priority', 'a boolean': true },
  ],
]

function casesOf(parameters: readonly Parameter[], code: string): BodyCase[] {
  return parameters.flatMap(([name, accepted, rejected, beside]) => {
    const casesWith = (values: object, outcome?: [string, string]): BodyCase[] =>
      Object.entries(values).map(([what, value]) => [
        `${name} ${what}`,
        { ...beside, [name]: value },
        outcome,
      ])
    return [...casesWith({ ...accepted, null: null }), ...casesWith(rejected, [code, name])]
  })
}

const REQUIRED: readonly BodyCase[] = [
  ['model absent', { model: undefined }, ['missing_required_parameter', 'model']],
  ['messages absent', { messages: undefined }, ['missing_required_parameter', 'messages']],
  ['model null', { model: null }, 'model'],
  ['model empty', { model: '' }, 'model'],
  ['model a number', { model: 7 }, 'model'],
  ['model an array', { model: ['headrace/pebble'] }, 'model'],
  ['model unknown', { model: 'no/such' }, ['model_not_found', 'model']],
  ['model with another case', { model: 'Headrace/Pebble' }, ['model_not_found', 'model']],
  ['model of a prototype', { model: 'constructor' }, ['model_not_found', 'model']],
  ['model shut down', { model: SHUT_MODEL }, ['model_not_found', 'model']],
  ['messages null', { messages: null }, 'messages'],
  ['messages empty', { messages: [] }, 'messages'],
  ['messages a string', { messages: 'Hello' }, 'messages'],
  ['messages an object', { messages: HELLO[0] }, 'messages'],
]

const UNSUPPORTED_EFFORT = ['unsupported_value', 'reasoning_effort'] as const

function effort(characters: string): object {
  return { model: BARE_MODEL, reasoning_effort: characters }
}

const COMBINATIONS: readonly BodyCase[] = [
  ['both limits', { max_tokens: 1 }, 'max_tokens'],
  ['both limits, one null', { max_tokens: null }],
  ['temperature with top_p', { temperature: 0.5, top_p: 0.5 }],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options'],
  ['stream_options with stream false', { stream: false, stream_options: {} }, 'stream_options'],
  ['stream_options null without stream', { stream_options: null }],
  [
    'include_usage of another type',
    { stream: true, stream_options: { include_usage: 'yes' } },
    'stream_options.include_usage',
  ],
  [
    'include_obfuscation of another type',
    { stream: true, stream_options: { include_obfuscation: 0 } },
    'stream_options.include_obfuscation',
  ],
  [
    'an unlisted stream option',
    { stream: true, stream_options: { x: 1 } },
    ['unsupported_parameter', 'stream_options.x'],
  ],
  ['an invalid value for an unknown model', { model: 'no/such', temperature: 9 }, 'temperature'],
  ['stop with an empty string', { stop: ['a', ''] }, 'stop[1]'],
  ['stop with a number', { stop: ['a', 'b', 3] }, 'stop[2]'],
  ['an effort that the model does not list', { reasoning_effort: 'xhigh' }, UNSUPPORTED_EFFORT],
  [
    'the effort none for a model that always reasons',
    { reasoning_effort: 'none' },
    UNSUPPORTED_EFFORT,
  ],
  [
    'an effort of 64 characters that the model does not list',
    { reasoning_effort: 'e'.repeat(64) },
    UNSUPPORTED_EFFORT,
  ],
  ['an effort of 64 characters for a model without a list', effort('e'.repeat(64))],
  ['an effort of one character for a model without a list', effort('e')],
  [
    'an effort of 65 characters for a model without a list',
    effort('e'.repeat(65)),
    'reasoning_effort',
  ],
  [
    'an effort of 64 characters outside the basic plane for a model without a list',
    effort('🙂'.repeat(64)),
  ],
]

/** Values that no error may repeat: the rules about every answer look for the canary. */
const DISCREET: readonly BodyCase[] = [
  ['temperature', { temperature: CANARY }, 'temperature'],
  ['a role', { messages: [{ role: CANARY, content: CANARY }] }, 'messages[0].role'],
  ['stop', { stop: [CANARY, { [CANARY]: CANARY }] }, 'stop[1]'],
  ['tool_choice', { tool_choice: CANARY }, 'tool_choice'],
]

/** Parameters of the convention, or of engines, that the interface does not list. */
const UNLISTED = [
  ...'top_logprobs audio prediction user metadata functions function_call best_of'.split(' '),
  ...'safety_identifier prompt_cache_key web_search_options top_k min_p grammar'.split(' '),
  ...'mirostat ignore_eos cache_prompt chat_template_kwargs guided_json n_predict'.split(' '),
  ...'timings_per_token extra_body Model toString'.split(' '),
  '',
].map((name): BodyCase => [`'${name}'`, { [name]: 1 }, ['unsupported_parameter', name]])

export const PARAMETERS: readonly Rule[] = [
  ...bodyRules('required', REQUIRED),
  ...bodyRules('parameter', casesOf(OPTIONAL, 'invalid_value')),
  ...rules('parameter', {
    'forwarded: what the engine decides by reaches it unchanged, and null does not': async (
      api,
    ) => {
      const model = scriptedModel(FORWARDING)
      const sent = async (change: object) => {
        expectAccepted(await api.chat({ model, ...change }))
        return api.engine.lastBody.get(FORWARDING) ?? {}
      }
      const body = await sent(FORWARDED)
      const unset = await sent(
        Object.fromEntries(Object.keys(FORWARDED).map((name) => [name, null])),
      )
      for (const [name, value] of Object.entries(FORWARDED)) {
        assert.equal(body[name], value, name)
        assert.ok(!(name in unset), `${name} is null`)
      }
    },
  }),
  ...bodyRules('fixed', casesOf(FIXED, 'unsupported_value')),
  ...bodyRules('combination', COMBINATIONS),
  ...bodyRules('discreet', DISCREET),
  ...bodyRules('unlisted', [
    ...UNLISTED,
    ['user as null', { user: null }, ['unsupported_parameter', 'user']],
    ['metadata as an object', { metadata: { a: 'b' } }, ['unsupported_parameter', 'metadata']],
  ]),
  ...rules('unlisted', {
    'wording: the message says where to remove the parameter': async (api) => {
      const { message } = readError(await api.chat({ top_logprobs: 5 }))
      assert.match(message, /Remove it from the request or from the client's settings.$/)
    },
  }),
]

/** One token at most, so that a mutation which leaves a request valid stays cheap. */
export const MODEL = 'malformed/pebble'

const CALL = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"q":1}' } }
const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
    tags: { type: 'array', items: { enum: ['a', 'b', null] }, maxItems: 3 },
    size: { anyOf: [{ type: 'integer', minimum: 0 }, { $ref: '#/$defs/size' }] },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { size: { type: 'string', const: 'large' } },
}
const TOOL = {
  type: 'function',
  function: { name: 'look_up', description: 'd', parameters: SCHEMA },
}

/** Valid requests that between them use every member. Mutations begin from one of these. */
export const VALID_REQUESTS: readonly object[] = [
  { model: MODEL, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 },
  {
    model: MODEL,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }], name: 'alice' },
    ],
    max_completion_tokens: 1,
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ['a', 'b'],
    frequency_penalty: 0.1,
    presence_penalty: -0.1,
    reasoning_effort: 'low',
  },
  {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
    n: 1,
    logprobs: false,
    logit_bias: {},
    store: false,
    modalities: ['text'],
    verbosity: 'medium',
    service_tier: 'auto',
  },
  {
    model: MODEL,
    messages: [
      { role: 'user', content: 'Look it up.' },
      { role: 'assistant', content: null, reasoning_content: 'I look.', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'call_1', content: 'found' },
    ],
    tools: [TOOL],
    tool_choice: { type: 'function', function: { name: 'look_up' } },
    parallel_tool_calls: false,
  },
  {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello' }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'reply', strict: true, schema: SCHEMA },
    },
  },
]

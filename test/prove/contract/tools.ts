import assert from 'node:assert/strict'
import { bodyRules, readCompletion, requestWith, type BodyCase, type Rule } from './rule.ts'
import { scriptedModel } from '../../harness/fake-engine/scripts.ts'

const TOOLS_MAX = 128

function tool(name: string, members: object = {}): object {
  return { type: 'function', function: { name, ...members } }
}

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
export const WEATHER = tool('get_weather', {
  description: 'Get the current weather for a city',
  parameters: { ...PARAMETERS, required: ['city'] },
})

function tools(count: number): object[] {
  return Array.from({ length: count }, (_, index) => tool(`tool_${index}`))
}

const NAMED = { type: 'function', function: { name: 'get_weather' } }

const TOOLS: readonly BodyCase[] = [
  ['one tool', { tools: [WEATHER] }, 'accepted'],
  ['no tools', { tools: [] }, 'accepted'],
  ['null for tools', { tools: null }, 'accepted'],
  ['a tool with a name only', { tools: [tool('f')] }, 'accepted'],
  ['a tool with null beside its name', { tools: [tool('f', { parameters: null })] }, 'accepted'],
  ['a tool with more than is listed', { tools: [tool('f', { strict: true, x: 1 })] }, 'accepted'],
  // So many do not fit the demo model's context.
  [
    `${TOOLS_MAX} tools`,
    { model: scriptedModel('replays-text'), tools: tools(TOOLS_MAX) },
    'accepted',
  ],
  [`${TOOLS_MAX + 1} tools`, { tools: tools(TOOLS_MAX + 1) }, ['invalid_value', 'tools']],
  ['tools that are no array', { tools: WEATHER }, ['invalid_value', 'tools']],
  ['a tool that is a string', { tools: ['f'] }, ['invalid_value', 'tools[0]']],
  [
    'a tool without a type',
    { tools: [{ function: { name: 'f' } }] },
    ['invalid_value', 'tools[0].type'],
  ],
  [
    'a tool of another type',
    { tools: [WEATHER, { type: 'web_search' }] },
    ['invalid_value', 'tools[1].type'],
  ],
  [
    'a tool without a function',
    { tools: [{ type: 'function' }] },
    ['invalid_value', 'tools[0].function'],
  ],
  [
    'the fourth tool without a name',
    { tools: [...tools(3), { type: 'function', function: {} }] },
    ['invalid_value', 'tools[3].function.name'],
  ],
  ['a tool with an empty name', { tools: [tool('')] }, ['invalid_value', 'tools[0].function.name']],
  [
    'a description of another type',
    { tools: [tool('f', { description: 5 })] },
    ['invalid_value', 'tools[0].function.description'],
  ],
  [
    'parameters that are no object',
    { tools: [tool('f', { parameters: [] })] },
    ['invalid_value', 'tools[0].function.parameters'],
  ],
  [
    'parameters with a type that is none',
    { tools: [tool('f', { parameters: { type: 'strange' } })] },
    ['invalid_value', 'tools[0].function.parameters.type'],
  ],
  [
    'parameters of draft-07',
    {
      tools: [
        tool('f', {
          parameters: { ...PARAMETERS, $schema: 'http://json-schema.org/draft-07/schema#' },
        }),
      ],
    },
    'accepted',
  ],
  [
    'parameters of 2020-12',
    {
      tools: [
        tool('f', {
          parameters: { ...PARAMETERS, $schema: 'https://json-schema.org/draft/2020-12/schema' },
        }),
      ],
    },
    'accepted',
  ],
]

const CHOICES: readonly BodyCase[] = [
  ...['none', 'auto', 'required'].map((choice): BodyCase => [
    choice,
    { tools: [WEATHER], tool_choice: choice },
    'accepted',
  ]),
  ['a named function', { tools: [WEATHER], tool_choice: NAMED }, 'accepted'],
  ['null', { tools: [WEATHER], tool_choice: null }, 'accepted'],
  ['null without tools', { tool_choice: null }, 'accepted'],
  ['an unknown word', { tools: [WEATHER], tool_choice: 'any' }, ['invalid_value', 'tool_choice']],
  ['a number', { tools: [WEATHER], tool_choice: 1 }, ['invalid_value', 'tool_choice']],
  ['auto without tools', { tool_choice: 'auto' }, ['invalid_value', 'tool_choice']],
  ['none without tools', { tool_choice: 'none' }, ['invalid_value', 'tool_choice']],
  ['a name without tools', { tool_choice: NAMED }, ['invalid_value', 'tool_choice']],
  [
    'a function that is not among the tools',
    { tools: [tool('other')], tool_choice: NAMED },
    ['invalid_value', 'tool_choice'],
  ],
  [
    'an object without a function',
    { tools: [WEATHER], tool_choice: { type: 'function' } },
    ['invalid_value', 'tool_choice.function'],
  ],
  [
    'an object of another type',
    { tools: [WEATHER], tool_choice: { ...NAMED, type: 'allowed_tools' } },
    ['invalid_value', 'tool_choice.type'],
  ],
]

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}

function schemaFormat(members: object): object {
  return { response_format: { type: 'json_schema', json_schema: { name: 'person', ...members } } }
}

const FORMATS: readonly BodyCase[] = [
  ['text', { response_format: { type: 'text' } }, 'accepted'],
  ['json_object', { response_format: { type: 'json_object' } }, 'accepted'],
  ['json_schema', schemaFormat({ schema: PERSON }), 'accepted'],
  ['json_schema with strict', schemaFormat({ strict: true, schema: PERSON }), 'accepted'],
  ['json_schema with strict null', schemaFormat({ strict: null, schema: PERSON }), 'accepted'],
  ['json_schema with more', schemaFormat({ description: 'd', schema: PERSON }), 'accepted'],
  [
    'an unknown type',
    { response_format: { type: 'xml' } },
    ['invalid_value', 'response_format.type'],
  ],
  ['no type', { response_format: {} }, ['invalid_value', 'response_format.type']],
  ['a string', { response_format: 'text' }, ['invalid_value', 'response_format']],
  [
    'json_schema without json_schema',
    { response_format: { type: 'json_schema' } },
    ['invalid_value', 'response_format.json_schema'],
  ],
  [
    'json_schema without a name',
    schemaFormat({ name: undefined, schema: PERSON }),
    ['invalid_value', 'response_format.json_schema.name'],
  ],
  [
    'json_schema without a schema',
    schemaFormat({}),
    ['invalid_value', 'response_format.json_schema.schema'],
  ],
  [
    'json_schema with strict of another type',
    schemaFormat({ strict: 'yes', schema: PERSON }),
    ['invalid_value', 'response_format.json_schema.strict'],
  ],
  [
    'a schema that is a string',
    schemaFormat({ schema: 'object' }),
    ['invalid_value', 'response_format.json_schema.schema'],
  ],
]

/** What tools and formats lead to in an answer. */
const EFFECTS: readonly Rule[] = [
  {
    id: 'tools/parallel-without-tools',
    name: 'parallel_tool_calls without tools is invalid_value',
    check: async (world) => {
      const [rule] = bodyRules('tools', [
        ['parallel', { parallel_tool_calls: false }, ['invalid_value', 'parallel_tool_calls']],
      ])
      if (rule !== undefined && 'check' in rule) await rule.check(world)
    },
  },
  {
    id: 'tools/none-hides-tools',
    name: 'with tool_choice none no tool is called',
    async check({ client }) {
      const messages = [{ role: 'user', content: 'What is the weather in Paris?' }]
      const change = { messages, tools: [WEATHER], tool_choice: 'none', max_completion_tokens: 60 }
      const { choice, message } = readCompletion(await client.chat(requestWith(change)))
      assert.notEqual(choice.finish_reason, 'tool_calls')
      assert.equal(message.tool_calls, undefined)
    },
  },
  {
    id: 'tools/one-call-without-parallel',
    name: 'with parallel_tool_calls false there is one call at most',
    async check({ client }) {
      const messages = [{ role: 'user', content: 'What is the weather in Rome and Oslo?' }]
      const asked = { messages, tools: [WEATHER], temperature: 0, seed: 1 }
      const change = { ...asked, parallel_tool_calls: false, max_completion_tokens: 200 }
      const { choice, message } = readCompletion(await client.chat(requestWith(change)))
      assert.equal(choice.finish_reason, 'tool_calls')
      assert.equal(message.tool_calls?.length, 1)
    },
  },
  {
    id: 'tools/forced-choice-ignored',
    name: 'a forced choice that the engine ignores is 502, not a text',
    async check({ client }) {
      const change = { model: scriptedModel('replays-text'), tools: [WEATHER] }
      const answer = await client.chat(requestWith({ ...change, tool_choice: 'required' }))
      assert.equal(answer.status, 502, answer.text)
    },
  },
  {
    id: 'format/schema-followed',
    name: 'with json_schema the content is JSON by the schema',
    async check({ client }) {
      const messages = [{ role: 'user', content: 'Extract the person: Bob is 42 years old.' }]
      const format = schemaFormat({ strict: true, schema: PERSON })
      const change = { messages, ...format, temperature: 0, max_completion_tokens: 300 }
      const { choice, message } = readCompletion(await client.chat(requestWith(change)))
      assert.equal(choice.finish_reason, 'stop')
      const person = JSON.parse(message.content ?? '') as Record<string, unknown>
      assert.deepEqual(Object.keys(person).toSorted(), ['age', 'name'])
      assert.equal(typeof person['name'], 'string')
      assert.ok(Number.isInteger(person['age']))
    },
  },
]

export const TOOLS_AND_FORMATS: readonly Rule[] = [
  ...bodyRules('tools', TOOLS),
  ...bodyRules('tool_choice', CHOICES),
  ...bodyRules('response_format', FORMATS),
  ...EFFECTS,
]

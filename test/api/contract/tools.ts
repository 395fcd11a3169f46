import assert from 'node:assert/strict'
import { scriptedModel } from '../../harness/fake-engine/scripts.ts'
import { type BodyCase, bodyRules, readCompletion, type Rule, rules } from './rule.ts'

const TOOLS_MAX = 128

function tool(name: string, members: object = {}): object {
  return { type: 'function', function: { name, ...members } }
}

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
export const WEATHER = tool('get_weather', {
  description: 'Get the current weather for a city',
  parameters: { ...PARAMETERS, required: ['city'] },
})
const NAMED = { type: 'function', function: { name: 'get_weather' } }

function tools(count: number): object[] {
  return Array.from({ length: count }, (_, index) => tool(`tool_${index}`))
}

function declares($schema: string): object {
  return { tools: [tool('f', { parameters: { ...PARAMETERS, $schema } })] }
}

const TOOLS: readonly BodyCase[] = [
  ['one tool', { tools: [WEATHER] }],
  ['no tools', { tools: [] }],
  ['null for tools', { tools: null }],
  ['a tool with a name only', { tools: [tool('f')] }],
  ['a tool with null beside its name', { tools: [tool('f', { parameters: null })] }],
  ['a tool with more than is listed', { tools: [tool('f', { strict: true, x: 1 })] }],
  // So many do not fit the demo model's context.
  [`${TOOLS_MAX} tools`, { model: scriptedModel('replays-text'), tools: tools(TOOLS_MAX) }],
  [`${TOOLS_MAX + 1} tools`, { tools: tools(TOOLS_MAX + 1) }, 'tools'],
  ['tools that are no array', { tools: WEATHER }, 'tools'],
  ['a tool that is a string', { tools: ['f'] }, 'tools[0]'],
  ['a tool without a type', { tools: [{ function: { name: 'f' } }] }, 'tools[0].type'],
  ['a tool of another type', { tools: [WEATHER, { type: 'web_search' }] }, 'tools[1].type'],
  ['a tool without a function', { tools: [{ type: 'function' }] }, 'tools[0].function'],
  [
    'the fourth tool without a name',
    { tools: [...tools(3), { type: 'function', function: {} }] },
    'tools[3].function.name',
  ],
  ['a tool with an empty name', { tools: [tool('')] }, 'tools[0].function.name'],
  [
    'a description of another type',
    { tools: [tool('f', { description: 5 })] },
    'tools[0].function.description',
  ],
  [
    'parameters that are no object',
    { tools: [tool('f', { parameters: [] })] },
    'tools[0].function.parameters',
  ],
  [
    'parameters with a type that is none',
    { tools: [tool('f', { parameters: { type: 'strange' } })] },
    'tools[0].function.parameters.type',
  ],
  ['parameters of draft-07', declares('http://json-schema.org/draft-07/schema#')],
  ['parameters of 2020-12', declares('https://json-schema.org/draft/2020-12/schema')],
]

const CHOICES: readonly BodyCase[] = [
  ...['none', 'auto', 'required'].map((choice): BodyCase => [
    choice,
    { tools: [WEATHER], tool_choice: choice },
  ]),
  ['a named function', { tools: [WEATHER], tool_choice: NAMED }],
  ['null', { tools: [WEATHER], tool_choice: null }],
  ['null without tools', { tool_choice: null }],
  ['an unknown word', { tools: [WEATHER], tool_choice: 'any' }, 'tool_choice'],
  ['a number', { tools: [WEATHER], tool_choice: 1 }, 'tool_choice'],
  ['auto without tools', { tool_choice: 'auto' }, 'tool_choice'],
  ['none without tools', { tool_choice: 'none' }, 'tool_choice'],
  ['a name without tools', { tool_choice: NAMED }, 'tool_choice'],
  [
    'a function that is not among the tools',
    { tools: [tool('other')], tool_choice: NAMED },
    'tool_choice',
  ],
  [
    'an object without a function',
    { tools: [WEATHER], tool_choice: { type: 'function' } },
    'tool_choice.function',
  ],
  [
    'an object of another type',
    { tools: [WEATHER], tool_choice: { ...NAMED, type: 'allowed_tools' } },
    'tool_choice.type',
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

const AT = 'response_format.json_schema'

const FORMATS: readonly BodyCase[] = [
  ['text', { response_format: { type: 'text' } }],
  ['json_object', { response_format: { type: 'json_object' } }],
  ['json_schema', schemaFormat({ schema: PERSON })],
  ['json_schema with strict', schemaFormat({ strict: true, schema: PERSON })],
  ['json_schema with strict null', schemaFormat({ strict: null, schema: PERSON })],
  ['json_schema with more', schemaFormat({ description: 'd', schema: PERSON })],
  ['an unknown type', { response_format: { type: 'xml' } }, 'response_format.type'],
  ['no type', { response_format: {} }, 'response_format.type'],
  ['a string', { response_format: 'text' }, 'response_format'],
  ['json_schema without json_schema', { response_format: { type: 'json_schema' } }, AT],
  ['json_schema without a name', schemaFormat({ name: undefined, schema: PERSON }), `${AT}.name`],
  ['json_schema without a schema', schemaFormat({}), `${AT}.schema`],
  [
    'json_schema with strict of another type',
    schemaFormat({ strict: 'yes', schema: PERSON }),
    `${AT}.strict`,
  ],
  ['a schema that is a string', schemaFormat({ schema: 'object' }), `${AT}.schema`],
]

/** What tools and formats lead to in an answer. */
const EFFECTS: readonly Rule[] = [
  ...rules('tools', {
    'none-hides-tools: with tool_choice none no tool is called': async (api) => {
      const messages = [{ role: 'user', content: 'What is the weather in Paris?' }]
      const change = { messages, tools: [WEATHER], tool_choice: 'none', max_completion_tokens: 60 }
      const { choice, message } = readCompletion(await api.chat(change))
      assert.notEqual(choice.finish_reason, 'tool_calls')
      assert.equal(message.tool_calls, undefined)
    },
    'one-call-without-parallel: with parallel_tool_calls false there is at most one call': async (
      api,
    ) => {
      const messages = [{ role: 'user', content: 'What is the weather in Rome and Oslo?' }]
      const asked = { messages, tools: [WEATHER], temperature: 0, seed: 1 }
      const change = { ...asked, parallel_tool_calls: false, max_completion_tokens: 200 }
      const { choice, message } = readCompletion(await api.chat(change))
      assert.equal(choice.finish_reason, 'tool_calls')
      assert.equal(message.tool_calls?.length, 1)
    },
    'forced-choice-ignored: a forced choice that the engine ignores is 502': async (api) => {
      const change = { model: scriptedModel('replays-text'), tools: [WEATHER] }
      const answer = await api.chat({ ...change, tool_choice: 'required' })
      assert.equal(answer.status, 502, answer.text)
    },
  }),
  ...rules('format', {
    'schema-followed: with json_schema the content is JSON by the schema': async (api) => {
      const messages = [{ role: 'user', content: 'Extract the person: Bob is 42 years old.' }]
      const format = schemaFormat({ strict: true, schema: PERSON })
      const change = { messages, ...format, temperature: 0, max_completion_tokens: 300 }
      const { choice, message } = readCompletion(await api.chat(change))
      assert.equal(choice.finish_reason, 'stop')
      const person = JSON.parse(message.content ?? '') as Record<string, unknown>
      assert.deepEqual(Object.keys(person).toSorted(), ['age', 'name'])
      assert.equal(typeof person['name'], 'string')
      assert.ok(Number.isInteger(person['age']))
    },
  }),
]

export const TOOLS_AND_FORMATS: readonly Rule[] = [
  ...bodyRules('tools', [
    ...TOOLS,
    ['parallel-without-tools', { parallel_tool_calls: false }, 'parallel_tool_calls'],
  ]),
  ...bodyRules('tool_choice', CHOICES),
  ...bodyRules('response_format', FORMATS),
  ...EFFECTS,
]

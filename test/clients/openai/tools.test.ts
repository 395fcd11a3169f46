import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatCompletionMessageParam } from 'openai-7/resources'
import { apiRoot, createKey } from '../control-client.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import {
  assertWeatherReply,
  createWeatherTool,
  WEATHER_PARAMETERS,
  WEATHER_QUESTION,
  WEATHER_TOOL,
} from '../weather-tool.ts'
import { VERSIONS, type OpenAIClient, type OpenAIVersion } from './versions.ts'

const apiKey = await createKey()

for (const release of VERSIONS) {
  const { version, OpenAI, runToolsReturnsReasoning } = release
  const client = new OpenAI({ baseURL: apiRoot, apiKey })

  describe(`openai ${version}`, () => {
    for (const model of [PEBBLE, PEBBLE_STRICT]) {
      test(`tools by hand: two steps with ${model}`, () => askByHand(client, model))
    }

    test('runTools: two steps', () => runTools(release, client, PEBBLE))

    test('runTools: two steps, streamed', () => streamTools(release, client, PEBBLE))

    if (runToolsReturnsReasoning) {
      test('runTools: returns the reasoning that a strict model requires', () =>
        runTools(release, client, PEBBLE_STRICT))
    } else {
      test('runTools: drops the reasoning, so a strict model rejects the second step', () =>
        assert.rejects(runTools(release, client, PEBBLE_STRICT), {
          status: 400,
          code: 'missing_required_parameter',
          param: 'messages[1].reasoning_content',
        }))
    }
  })
}

async function askByHand(client: OpenAIClient, model: string): Promise<void> {
  const { cities, answer } = createWeatherTool()
  const question = { role: 'user', content: WEATHER_QUESTION } as const
  const ask = (...messages: ChatCompletionMessageParam[]) =>
    client.chat.completions.create({
      model,
      temperature: 0,
      messages,
      tools: [{ type: 'function', function: { ...WEATHER_TOOL, parameters: WEATHER_PARAMETERS } }],
    })
  const first = await ask(question)
  const [choice] = first.choices
  assert.equal(choice?.finish_reason, 'tool_calls')
  const call = choice.message.tool_calls?.[0]
  assert.ok(call?.type === 'function')
  const content = answer(JSON.parse(call.function.arguments))
  const second = await ask(question, choice.message, {
    role: 'tool',
    tool_call_id: call.id,
    content,
  })
  assertWeatherReply(cities, second.choices[0]?.message.content)
}

/** The settings for both forms of `.runTools()`. */
function describeRun(model: string, answer: (input: { city: string }) => string) {
  return {
    model,
    temperature: 0,
    messages: [{ role: 'user' as const, content: WEATHER_QUESTION }],
    tools: [
      {
        type: 'function' as const,
        function: {
          ...WEATHER_TOOL,
          parameters: WEATHER_PARAMETERS,
          function: (text: string) => answer(JSON.parse(text) as { city: string }),
        },
      },
    ],
  }
}

async function runTools(
  { helpers }: OpenAIVersion,
  client: OpenAIClient,
  model: string,
): Promise<void> {
  const { cities, answer } = createWeatherTool()
  const runner = helpers(client).runTools(describeRun(model, answer))
  assertWeatherReply(cities, await runner.finalContent())
}

async function streamTools(
  { helpers }: OpenAIVersion,
  client: OpenAIClient,
  model: string,
): Promise<void> {
  const { cities, answer } = createWeatherTool()
  const runner = helpers(client).runTools({ ...describeRun(model, answer), stream: true })
  let streamed = ''
  runner.on('content', (piece) => (streamed += piece))
  const reply = await runner.finalContent()
  assertWeatherReply(cities, reply)
  assert.equal(streamed, reply)
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import { OpenAI } from 'openai'
import { z } from 'zod'
import { apiRoot, createKey } from '../control-client.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnAbort, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION } from '../structured-output.ts'
import { exhaustLimit } from '../exhaust-limit.ts'
import { recordStatuses } from '../record-statuses.ts'
import {
  assertWeatherReply,
  createWeatherTool,
  WEATHER_QUESTION,
  WEATHER_TOOL,
} from '../weather-tool.ts'

// Traces would be sent to the vendor of the SDK.
setTracingDisabled(true)

const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('no-api-keys')])

type Settings = { key?: string; model?: string; fetch?: typeof fetch; temperature?: number }

function describeAgent(settings: Settings = {}) {
  const { key = apiKey, model = PEBBLE, temperature = 0 } = settings
  const client = new OpenAI({
    baseURL: apiRoot,
    apiKey: key,
    fetch: settings.fetch ?? globalThis.fetch,
  })
  return {
    name: 'Pebble',
    model: new OpenAIChatCompletionsModel(client, model),
    modelSettings: { temperature },
  }
}

describe('@openai/agents 0.20.0', () => {
  test('text: content', async () => {
    const { finalOutput } = await run(new Agent(describeAgent()), 'What is the capital of France?')
    assert.match(finalOutput ?? '', /Paris/)
  })

  test('stream: all chunks in order', async () => {
    const result = await run(new Agent(describeAgent()), COUNTING, { stream: true })
    assertCounted(await Array.fromAsync(result.toTextStream()))
    await result.completed
  })

  test('tools: two steps', () => askWithTool(PEBBLE))

  test('tools: two steps, streamed', async () => {
    const { cities, agent } = createToolAgent(PEBBLE)
    const result = await run(agent, WEATHER_QUESTION, { stream: true })
    await Array.fromAsync(result)
    await result.completed
    assertWeatherReply(cities, result.finalOutput)
  })

  test('tools: the client drops the reasoning, so a strict model rejects the second step', () =>
    assert.rejects(askWithTool(PEBBLE_STRICT), {
      status: 400,
      code: 'missing_required_parameter',
    }))

  test('JSON schema: the object matches the schema', async () => {
    const outputType = z.object({ name: z.string(), age: z.number().int() })
    const { finalOutput } = await run(
      new Agent({ ...describeAgent(), outputType }),
      PERSON_QUESTION,
    )
    assertBob(finalOutput)
  })

  test('abort: disconnecting mid-stream stops the engine', async () => {
    await assertStopsOnAbort(async (maxTokens, seen) => {
      const leaving = new AbortController()
      const modelSettings = { temperature: 0, maxTokens, frequencyPenalty: STORY_PENALTY }
      const agent = new Agent({ ...describeAgent(), modelSettings })
      const result = await run(agent, STORY, { stream: true, signal: leaving.signal })
      await result.toTextStream()[Symbol.asyncIterator]().next()
      await seen()
      leaving.abort()
    })
  })

  const errors = [
    [400, 'invalid_value', { temperature: 3 }],
    [401, 'invalid_api_key', { key: 'sk-unknown' }],
    [403, 'plan_access_denied', { key: keyWithoutAccess }],
    [404, 'model_not_found', { model: 'headrace/boulder' }],
  ] as const
  for (const [status, code, settings] of errors) {
    test(`${status}: the error of the underlying client is passed on`, async () => {
      const request = run(new Agent(describeAgent(settings)), 'Hello')
      await assert.rejects(request, { status, code })
    })
  }

  test('429: waits for the per-minute limit, then succeeds', async () => {
    const { statuses, fetch } = recordStatuses()
    const key = await createKey('few-per-minute')
    await exhaustLimit(key)
    const { finalOutput } = await run(new Agent(describeAgent({ key, fetch })), 'Hello')
    assert.ok(finalOutput)
    assert.deepEqual(statuses, [429, 200])
  })

  test('429: the daily limit fails after one request', async () => {
    const { statuses, fetch } = recordStatuses()
    const key = await createKey('one-per-day')
    await exhaustLimit(key)
    const request = run(new Agent(describeAgent({ key, fetch })), 'Hello')
    await assert.rejects(request, { status: 429, message: /00:00 UTC/ })
    assert.deepEqual(statuses, [429])
  })
})

function createToolAgent(model: string) {
  const { cities, answer } = createWeatherTool()
  const parameters = z.object({ city: z.string() })
  const weather = tool({ ...WEATHER_TOOL, parameters, execute: async (input) => answer(input) })
  return { cities, agent: new Agent({ ...describeAgent({ model }), tools: [weather] }) }
}

async function askWithTool(model: string): Promise<void> {
  const { cities, agent } = createToolAgent(model)
  const { finalOutput } = await run(agent, WEATHER_QUESTION)
  assertWeatherReply(cities, finalOutput)
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import { OpenAI } from 'openai'
import { z } from 'zod'
import { apiRoot, createKey } from '../at-desk.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnLeaving, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION } from '../person.ts'
import { useUp } from '../use-up.ts'
import { watchFetch } from '../watch-fetch.ts'
import {
  assertWeatherTold,
  createWeatherTool,
  WEATHER_QUESTION,
  WEATHER_TOOL,
} from '../weather-tool.ts'

// Traces would go to the makers of the SDK.
setTracingDisabled(true)

const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('unreachable')])

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
  test('text: the answer', async () => {
    const { finalOutput } = await run(new Agent(describeAgent()), 'What is the capital of France?')
    assert.match(finalOutput ?? '', /Paris/)
  })

  test('stream: all pieces in order', async () => {
    const result = await run(new Agent(describeAgent()), COUNTING, { stream: true })
    assertCounted(await Array.fromAsync(result.toTextStream()))
    await result.completed
  })

  test('tools: two steps', () => askWithTool(PEBBLE))

  test('tools: two steps, streamed', async () => {
    const { cities, agent } = armAgent(PEBBLE)
    const result = await run(agent, WEATHER_QUESTION, { stream: true })
    await Array.fromAsync(result)
    await result.completed
    assertWeatherTold(cities, result.finalOutput)
  })

  test('tools: drops the reasoning, and a strict model says which one it misses', () =>
    assert.rejects(askWithTool(PEBBLE_STRICT), {
      status: 400,
      code: 'missing_required_parameter',
    }))

  test('JSON schema: an object as asked for', async () => {
    const outputType = z.object({ name: z.string(), age: z.number().int() })
    const { finalOutput } = await run(
      new Agent({ ...describeAgent(), outputType }),
      PERSON_QUESTION,
    )
    assertBob(finalOutput)
  })

  test('abort: a client that leaves in the middle of a stream frees the engine', async () => {
    await assertStopsOnLeaving(async (maxTokens, seen) => {
      const leaving = new AbortController()
      const modelSettings = { temperature: 0, maxTokens, frequencyPenalty: STORY_PENALTY }
      const agent = new Agent({ ...describeAgent(), modelSettings })
      const result = await run(agent, STORY, { stream: true, signal: leaving.signal })
      await result.toTextStream()[Symbol.asyncIterator]().next()
      await seen()
      leaving.abort()
    })
  })

  const refusals = [
    [400, 'invalid_value', { temperature: 3 }],
    [401, 'invalid_api_key', { key: 'sk-nobody' }],
    [403, 'plan_access_denied', { key: keyWithoutAccess }],
    [404, 'model_not_found', { model: 'headrace/boulder' }],
  ] as const
  for (const [status, code, settings] of refusals) {
    test(`${status}: the error of the client below comes through`, async () => {
      const refused = run(new Agent(describeAgent(settings)), 'Hello')
      await assert.rejects(refused, { status, code })
    })
  }

  test('429: waits for the minute limit, and then succeeds', async () => {
    const { statuses, fetch } = watchFetch()
    const key = await createKey('few-per-minute')
    await useUp(key)
    const { finalOutput } = await run(new Agent(describeAgent({ key, fetch })), 'Hello')
    assert.ok(finalOutput)
    assert.deepEqual(statuses, [429, 200])
  })

  test('429: the daily limit, after one request', async () => {
    const { statuses, fetch } = watchFetch()
    const key = await createKey('one-per-day')
    await useUp(key)
    const refused = run(new Agent(describeAgent({ key, fetch })), 'Hello')
    await assert.rejects(refused, { status: 429, message: /00:00 UTC/ })
    assert.deepEqual(statuses, [429])
  })
})

function armAgent(model: string) {
  const { cities, answer } = createWeatherTool()
  const parameters = z.object({ city: z.string() })
  const weather = tool({ ...WEATHER_TOOL, parameters, execute: async (input) => answer(input) })
  return { cities, agent: new Agent({ ...describeAgent({ model }), tools: [weather] }) }
}

async function askWithTool(model: string): Promise<void> {
  const { cities, agent } = armAgent(model)
  const { finalOutput } = await run(agent, WEATHER_QUESTION)
  assertWeatherTold(cities, finalOutput)
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { apiRoot, createKey } from '../control-client.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnAbort, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION } from '../structured-output.ts'
import { exhaustLimit } from '../exhaust-limit.ts'
import {
  assertWeatherReply,
  createWeatherTool,
  WEATHER_QUESTION,
  WEATHER_TOOL,
} from '../weather-tool.ts'

const [key, keyWithoutAccess] = await Promise.all([createKey(), createKey('no-api-keys')])

/** The part before the first slash is the provider's name, the rest is the model's id. */
function describeAgent(model = PEBBLE, apiKey = key) {
  return {
    id: 'pebble',
    name: 'Pebble',
    instructions: 'You are a helpful assistant.',
    model: { id: `headrace/${model}` as const, url: apiRoot, apiKey },
  }
}

const modelSettings = { temperature: 0 }

describe('@mastra/core 1.71.0', () => {
  test('text: content and reasoning', async () => {
    const agent = new Agent(describeAgent())
    const result = await agent.generate('What is the capital of France?', { modelSettings })
    assert.match(result.text, /Paris/)
    assert.ok(result.reasoningText)
  })

  test('stream: all chunks in order', async () => {
    const result = await new Agent(describeAgent()).stream(COUNTING, { modelSettings })
    assertCounted(await Array.fromAsync(result.textStream))
    assert.equal(await result.finishReason, 'stop')
  })

  for (const model of [PEBBLE, PEBBLE_STRICT]) {
    test(`tools: two steps with ${model}`, async () => {
      const { cities, answer } = createWeatherTool()
      const get_weather = createTool({
        id: WEATHER_TOOL.name,
        description: WEATHER_TOOL.description,
        inputSchema: z.object({ city: z.string() }),
        execute: async (input) => answer(input),
      })
      const agent = new Agent({ ...describeAgent(model), tools: { get_weather } })
      const { text } = await agent.generate(WEATHER_QUESTION, { modelSettings })
      assertWeatherReply(cities, text)
    })
  }

  test('JSON schema: the object matches the schema', async () => {
    const schema = z.object({ name: z.string(), age: z.number().int() })
    const { object } = await new Agent(describeAgent()).generate(PERSON_QUESTION, {
      modelSettings,
      structuredOutput: { schema },
    })
    assertBob(object)
  })

  test('abort: disconnecting mid-stream stops the engine', async () => {
    await assertStopsOnAbort(async (maxOutputTokens, seen) => {
      const leaving = new AbortController()
      const result = await new Agent(describeAgent()).stream(STORY, {
        modelSettings: { temperature: 0, maxOutputTokens, frequencyPenalty: STORY_PENALTY },
        abortSignal: leaving.signal,
      })
      const reader = result.textStream.getReader()
      await reader.read()
      await seen()
      leaving.abort()
    })
  })

  const errors = [
    [401, 'invalid_api_key', describeAgent(PEBBLE, 'sk-unknown')],
    [403, 'plan_access_denied', describeAgent(PEBBLE, keyWithoutAccess)],
    [404, 'model_not_found', describeAgent('headrace/boulder')],
  ] as const
  for (const [statusCode, code, settings] of errors) {
    test(`${statusCode}: the error of the underlying AI SDK is passed on`, async () => {
      const request = new Agent(settings).generate('Hello', { modelSettings })
      await assert.rejects(request, (error: Error & { statusCode?: number }) => {
        assert.equal(error.statusCode, statusCode, String(error))
        assert.ok(JSON.stringify(error).includes(code))
        return true
      })
    })
  }

  test('429: waits for the per-minute limit, then succeeds', async () => {
    const limited = await createKey('few-per-minute')
    await exhaustLimit(limited)
    // By default an agent does not retry.
    const agent = new Agent({ ...describeAgent(PEBBLE, limited), maxRetries: 2 })
    const { text } = await agent.generate('Hello', { modelSettings })
    assert.ok(text)
  })
})

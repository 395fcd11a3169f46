import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { createKey } from '../control-client.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnAbort, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION } from '../structured-output.ts'
import {
  assertWeatherReply,
  createWeatherTool,
  WEATHER_QUESTION,
  WEATHER_TOOL,
} from '../weather-tool.ts'
import { VERSIONS, type AiSdkVersion } from './versions.ts'

const apiKey = await createKey()

for (const version of VERSIONS) {
  const { name, ai, createModel, showsReasoning } = version
  const fixed = { model: createModel(PEBBLE, apiKey), temperature: 0 }

  describe(name, () => {
    test('text: content and usage', async () => {
      const prompt = 'What is the capital of France?'
      const { text, finishReason, usage } = await ai.generateText({ ...fixed, prompt })
      assert.match(text, /Paris/)
      assert.equal(finishReason, 'stop')
      assert.ok((usage.outputTokens ?? 0) > 0)
    })

    test('stream: all chunks in order, and the usage', async () => {
      const { textStream, finishReason, usage } = ai.streamText({ ...fixed, prompt: COUNTING })
      assertCounted(await Array.fromAsync(textStream))
      assert.equal(await finishReason, 'stop')
      assert.ok(((await usage).outputTokens ?? 0) > 0)
    })

    if (showsReasoning) {
      test('reasoning: separate from the text, as JSON and streamed', async () => {
        const { text, reasoningText } = await ai.generateText({ ...fixed, prompt: 'Hello' })
        assert.ok(reasoningText)
        assert.ok(!text.includes(reasoningText))
        const streamed = ai.streamText({ ...fixed, prompt: 'Hello' })
        await streamed.consumeStream()
        assert.ok(await streamed.reasoningText)
      })

      test('tools: the client returns the reasoning to a strict model', () =>
        generateWithTool(version, PEBBLE_STRICT))
    } else {
      test('tools: the client drops the reasoning, so a strict model rejects the second step', () =>
        assert.rejects(
          generateWithTool(version, PEBBLE_STRICT),
          /messages\[1\]\.reasoning_content/,
        ))
    }

    test('tools: two steps', () => generateWithTool(version, PEBBLE))

    test('tools: two steps, streamed', () => streamWithTool(version))

    test('JSON schema: the object matches the schema', async () => {
      const schema = z.object({ name: z.string(), age: z.number().int() })
      const { object } = await ai.generateObject({ ...fixed, schema, prompt: PERSON_QUESTION })
      assertBob(object)
    })

    test('abort: disconnecting mid-stream stops the engine', async () => {
      await assertStopsOnAbort(async (maxOutputTokens, seen) => {
        const leaving = new AbortController()
        const { textStream } = ai.streamText({
          ...fixed,
          prompt: STORY,
          maxOutputTokens,
          frequencyPenalty: STORY_PENALTY,
          abortSignal: leaving.signal,
        })
        const reader = textStream.getReader()
        await reader.read()
        await seen()
        leaving.abort()
      })
    })
  })
}

function describeRun({ ai, createModel }: AiSdkVersion, model: string) {
  const { cities, answer } = createWeatherTool()
  const inputSchema = z.object({ city: z.string() })
  const get_weather = ai.tool({
    description: WEATHER_TOOL.description,
    inputSchema,
    execute: (input: { city: string }) => answer(input),
  })
  const settings = {
    model: createModel(model, apiKey),
    temperature: 0,
    prompt: WEATHER_QUESTION,
    tools: { get_weather },
    stopWhen: ai.stepCountIs(3),
  }
  return { cities, settings }
}

async function generateWithTool(version: AiSdkVersion, model: string): Promise<void> {
  const { cities, settings } = describeRun(version, model)
  const { text, steps } = await version.ai.generateText(settings)
  assertWeatherReply(cities, text)
  assert.equal(steps.length, 2)
}

async function streamWithTool(version: AiSdkVersion): Promise<void> {
  const { cities, settings } = describeRun(version, PEBBLE)
  const { textStream, steps } = version.ai.streamText(settings)
  assertWeatherReply(cities, (await Array.fromAsync(textStream)).join(''))
  assert.equal((await steps).length, 2)
}

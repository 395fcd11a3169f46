import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  compatOaiModelRef,
  defineCompatOpenAIModel,
  openAICompatible,
  type PluginOptions,
} from '@genkit-ai/compat-oai'
import { genkit, z } from 'genkit'
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

function createGenkit(apiKey = key, more: Partial<PluginOptions> = {}) {
  const options = { name: 'service', apiKey, baseURL: apiRoot, ...more }
  return genkit({ plugins: [openAICompatible(options)] })
}

/** Declares that every model supports schemas; otherwise genkit writes them into the prompt. */
const resolver: PluginOptions['resolver'] = async (client, actionType, name) => {
  if (actionType !== 'model') return undefined
  const supports = { multiturn: true, tools: true, systemRole: true, constrained: 'all' as const }
  const modelRef = compatOaiModelRef({ name, namespace: 'service', info: { supports } })
  return defineCompatOpenAIModel({ name, client, pluginOptions: { name: 'service' }, modelRef })
}

/** The plugin does not send falsy values, so 0 would be omitted. */
const LOW_TEMPERATURE = 0.01

const ai = createGenkit()
const { cities, answer } = createWeatherTool()
const weather = ai.defineTool(
  { ...WEATHER_TOOL, inputSchema: z.object({ city: z.string() }), outputSchema: z.string() },
  async (input) => answer(input),
)

/**
 * The model's id is prefixed with the plugin's name, which must differ from the id's own prefix.
 */
function ask(prompt: string, model = PEBBLE) {
  return { model: `service/${model}`, prompt, config: { temperature: LOW_TEMPERATURE } }
}

describe('genkit 1.42.0 with @genkit-ai/compat-oai', () => {
  test('text: content and reasoning', async () => {
    const response = await ai.generate(ask('What is the capital of France?'))
    assert.match(response.text, /Paris/)
    assert.ok(response.reasoning)
    assert.ok((response.usage.outputTokens ?? 0) > 0)
  })

  test('stream: all chunks in order', async () => {
    const { stream, response } = ai.generateStream(ask(COUNTING))
    const pieces = await Array.fromAsync(stream)
    assertCounted(pieces.map(({ text }) => text))
    assert.equal((await response).finishReason, 'stop')
  })

  test('tools: two steps', async () => {
    const { text } = await ai.generate({ ...ask(WEATHER_QUESTION), tools: [weather] })
    assertWeatherReply(cities, text)
  })

  test('tools: the client drops the reasoning, so a strict model rejects the second step', () =>
    assert.rejects(
      ai.generate({ ...ask(WEATHER_QUESTION, PEBBLE_STRICT), tools: [weather] }),
      /messages\[1\]\.reasoning_content/,
    ))

  test('JSON schema: the object matches the schema', async () => {
    const schema = z.object({ name: z.string(), age: z.number().int() })
    const constraining = createGenkit(key, { resolver })
    const { output } = await constraining.generate({
      ...ask(PERSON_QUESTION),
      output: { schema, constrained: true },
    })
    assertBob(output)
  })

  test('abort: disconnecting mid-stream stops the engine', async () => {
    await assertStopsOnAbort(async (max_completion_tokens, seen) => {
      const leaving = new AbortController()
      const { stream, response } = ai.generateStream({
        ...ask(STORY),
        // The plugin ignores its own `maxOutputTokens`, but forwards settings that it does not
        // know.
        config: {
          temperature: LOW_TEMPERATURE,
          max_completion_tokens,
          frequencyPenalty: STORY_PENALTY,
        },
        abortSignal: leaving.signal,
      })
      const rejected = assert.rejects(response, /abort/i)
      await stream[Symbol.asyncIterator]().next()
      await seen()
      leaving.abort()
      await rejected
    })
  })

  test('400: INVALID_ARGUMENT, and the message names the parameter', () =>
    assert.rejects(ai.generate({ ...ask('Hello'), config: { user: 'someone' } }), {
      status: 'INVALID_ARGUMENT',
      message: /'user'/,
    }))

  const errors = [
    ['UNAUTHENTICATED', createGenkit('sk-unknown'), PEBBLE],
    ['PERMISSION_DENIED', createGenkit(keyWithoutAccess), PEBBLE],
    // The plugin does not map 404.
    ['UNKNOWN', ai, 'headrace/boulder'],
  ] as const
  for (const [status, instance, model] of errors) {
    test(`${status}: the error has genkit's name for the status`, () =>
      assert.rejects(instance.generate(ask('Hello', model)), { status }))
  }

  test('429: waits for the per-minute limit, then succeeds', async () => {
    const limited = await createKey('few-per-minute')
    await exhaustLimit(limited)
    const { text } = await createGenkit(limited).generate(ask('Hello'))
    assert.ok(text)
  })

  test('429: RESOURCE_EXHAUSTED for the daily limit', async () => {
    const limited = await createKey('one-per-day')
    await exhaustLimit(limited)
    const request = createGenkit(limited).generate(ask('Hello'))
    await assert.rejects(request, { status: 'RESOURCE_EXHAUSTED', message: /00:00 UTC/ })
  })
})

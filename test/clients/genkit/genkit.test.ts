import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  compatOaiModelRef,
  defineCompatOpenAIModel,
  openAICompatible,
  type PluginOptions,
} from '@genkit-ai/compat-oai'
import { genkit, z } from 'genkit'
import { apiRoot, createKey } from '../at-desk.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnLeaving, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION } from '../person.ts'
import { useUp } from '../use-up.ts'
import {
  assertWeatherTold,
  createWeatherTool,
  WEATHER_QUESTION,
  WEATHER_TOOL,
} from '../weather-tool.ts'

const [key, keyWithoutAccess] = await Promise.all([createKey(), createKey('unreachable')])

function createGenkit(apiKey = key, more: Partial<PluginOptions> = {}) {
  const options = { name: 'service', apiKey, baseURL: apiRoot, ...more }
  return genkit({ plugins: [openAICompatible(options)] })
}

/** Says of every model that it follows a schema; else genkit writes the schema into the prompt. */
const resolver: PluginOptions['resolver'] = async (client, actionType, name) => {
  if (actionType !== 'model') return undefined
  const supports = { multiturn: true, tools: true, systemRole: true, constrained: 'all' as const }
  const modelRef = compatOaiModelRef({ name, namespace: 'service', info: { supports } })
  return defineCompatOpenAIModel({ name, client, pluginOptions: { name: 'service' }, modelRef })
}

/** Zero would not be sent: the plugin leaves out whatever counts as false. */
const COLD = 0.01

const ai = createGenkit()
const { cities, answer } = createWeatherTool()
const weather = ai.defineTool(
  { ...WEATHER_TOOL, inputSchema: z.object({ city: z.string() }), outputSchema: z.string() },
  async (input) => answer(input),
)

/** The plugin's name stands before the model's id. It must differ from how the id begins. */
function ask(prompt: string, model = PEBBLE) {
  return { model: `service/${model}`, prompt, config: { temperature: COLD } }
}

describe('genkit 1.42.0 with @genkit-ai/compat-oai', () => {
  test('text: the answer and its reasoning', async () => {
    const response = await ai.generate(ask('What is the capital of France?'))
    assert.match(response.text, /Paris/)
    assert.ok(response.reasoning)
    assert.ok((response.usage.outputTokens ?? 0) > 0)
  })

  test('stream: all pieces in order', async () => {
    const { stream, response } = ai.generateStream(ask(COUNTING))
    const pieces = await Array.fromAsync(stream)
    assertCounted(pieces.map(({ text }) => text))
    assert.equal((await response).finishReason, 'stop')
  })

  test('tools: two steps', async () => {
    const { text } = await ai.generate({ ...ask(WEATHER_QUESTION), tools: [weather] })
    assertWeatherTold(cities, text)
  })

  test('tools: drops the reasoning, and a strict model says which one it misses', () =>
    assert.rejects(
      ai.generate({ ...ask(WEATHER_QUESTION, PEBBLE_STRICT), tools: [weather] }),
      /messages\[1\]\.reasoning_content/,
    ))

  test('JSON schema: an object as asked for', async () => {
    const schema = z.object({ name: z.string(), age: z.number().int() })
    const constraining = createGenkit(key, { resolver })
    const { output } = await constraining.generate({
      ...ask(PERSON_QUESTION),
      output: { schema, constrained: true },
    })
    assertBob(output)
  })

  test('abort: a client that leaves in the middle of a stream frees the engine', async () => {
    await assertStopsOnLeaving(async (max_completion_tokens, seen) => {
      const leaving = new AbortController()
      const { stream, response } = ai.generateStream({
        ...ask(STORY),
        // The plugin does not send its own `maxOutputTokens`, but what it does not know.
        config: {
          temperature: COLD,
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

  test('INVALID_ARGUMENT: the message names the parameter', () =>
    assert.rejects(ai.generate({ ...ask('Hello'), config: { user: 'somebody' } }), {
      status: 'INVALID_ARGUMENT',
      message: /'user'/,
    }))

  const refusals = [
    ['UNAUTHENTICATED', createGenkit('sk-nobody'), PEBBLE],
    ['PERMISSION_DENIED', createGenkit(keyWithoutAccess), PEBBLE],
    // The plugin has no name for 404.
    ['UNKNOWN', ai, 'headrace/boulder'],
  ] as const
  for (const [status, instance, model] of refusals) {
    test(`${status}: the error has genkit's name for the status`, () =>
      assert.rejects(instance.generate(ask('Hello', model)), { status }))
  }

  test('429: waits for the minute limit, and then succeeds', async () => {
    const limited = await createKey('few-per-minute')
    await useUp(limited)
    const { text } = await createGenkit(limited).generate(ask('Hello'))
    assert.ok(text)
  })

  test('429: RESOURCE_EXHAUSTED for the daily limit', async () => {
    const limited = await createKey('one-per-day')
    await useUp(limited)
    const refused = createGenkit(limited).generate(ask('Hello'))
    await assert.rejects(refused, { status: 'RESOURCE_EXHAUSTED', message: /00:00 UTC/ })
  })
})

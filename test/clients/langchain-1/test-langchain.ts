import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiRoot, createKey } from '../at-desk.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnLeaving, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION, PERSON_SCHEMA } from '../person.ts'
import { useUp } from '../use-up.ts'
import { watchFetch } from '../watch-fetch.ts'
import { assertWeatherTold, createWeatherTool, WEATHER_QUESTION } from '../weather-tool.ts'

type ChatOpenAI = import('@langchain/openai').ChatOpenAI
type ChatOpenAISettings = ConstructorParameters<typeof import('@langchain/openai').ChatOpenAI>[0]
type AIMessage = import('@langchain/core/messages').AIMessage
type Tool = import('@langchain/core/tools').StructuredToolInterface

/** One release of LangChain, with the types of the newest. */
export type LangChainVersion = {
  readonly version: string
  readonly createModel: (settings: ChatOpenAISettings) => ChatOpenAI
  readonly createTool: (answer: (input: { city: string }) => string) => Tool
  readonly showsReasoning: boolean
  /** Whether a `Retry-After` of hours makes it give up at once. */
  readonly givesUpForTheDay: boolean
}

export async function testLangChain(release: LangChainVersion): Promise<void> {
  const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('unreachable')])
  const create = (change: object = {}, fetch = globalThis.fetch) =>
    release.createModel({
      model: PEBBLE,
      apiKey,
      temperature: 0,
      configuration: { baseURL: apiRoot, fetch },
      ...change,
    })
  describe(`@langchain/openai ${release.version}`, () => {
    testAnswers(release, create)
    testErrors(release, create, keyWithoutAccess)
  })
}

type Create = (change?: object, fetch?: typeof globalThis.fetch) => ChatOpenAI

function testAnswers(release: LangChainVersion, create: Create): void {
  test('text: the answer and the usage', async () => {
    const message = await create().invoke('What is the capital of France?')
    assert.match(message.text, /Paris/)
    assert.equal(message.response_metadata.finish_reason, 'stop')
    const { output_tokens } = {
      ...(message.usage_metadata as { output_tokens?: number } | undefined),
    }
    assert.ok((output_tokens ?? 0) > 0)
  })

  test('stream: all pieces in order', async () => {
    const pieces = await Array.fromAsync(await create().stream(COUNTING))
    assertCounted(pieces.map(({ text }) => text))
  })

  if (release.showsReasoning) {
    test('reasoning: whole and streamed', async () => {
      const message = await create().invoke('Hello')
      assert.ok(readReasoning(message))
      const pieces = await Array.fromAsync(await create().stream('Hello'))
      assert.ok(pieces.map((piece) => readReasoning(piece) ?? '').join(''))
    })
  }

  test('tools: two steps', () => askWithTool(release, create()))

  test('tools: drops the reasoning, and a strict model says which one it misses', () =>
    assert.rejects(askWithTool(release, create({ model: PEBBLE_STRICT })), {
      status: 400,
      code: 'missing_required_parameter',
    }))

  test('JSON schema: an object as asked for', async () => {
    const model = create().withStructuredOutput(PERSON_SCHEMA, {
      name: 'person',
      method: 'jsonSchema',
    })
    assertBob(await model.invoke(PERSON_QUESTION))
  })

  test('abort: a client that leaves in the middle of a stream frees the engine', async () => {
    await assertStopsOnLeaving(async (maxTokens, seen) => {
      const leaving = new AbortController()
      const model = create({ maxTokens, frequencyPenalty: STORY_PENALTY })
      const stream = await model.stream(STORY, { signal: leaving.signal })
      const reader = stream.getReader()
      await reader.read()
      await seen()
      leaving.abort()
      await assert.rejects(drain(reader), /abort/i)
    })
  })
}

function testErrors(release: LangChainVersion, create: Create, keyWithoutAccess: string): void {
  const refusals = [
    [400, 'invalid_value', { temperature: 3 }],
    [401, 'invalid_api_key', { apiKey: 'sk-nobody' }],
    [403, 'plan_access_denied', { apiKey: keyWithoutAccess }],
    [404, 'model_not_found', { model: 'headrace/boulder' }],
  ] as const
  for (const [status, code, change] of refusals) {
    test(`${status}: the error has status and code, after one request`, async () => {
      const { statuses, fetch } = watchFetch()
      await assert.rejects(create(change, fetch).invoke('Hello'), { status, code })
      assert.deepEqual(statuses, [status])
    })
  }

  test('429: waits for the minute limit, and then succeeds', async () => {
    const { statuses, fetch } = watchFetch()
    const apiKey = await createKey('few-per-minute')
    await useUp(apiKey)
    const message = await create({ apiKey }, fetch).invoke('Hello')
    assert.ok(message.content)
    assert.equal(statuses[0], 429)
    assert.equal(statuses.at(-1), 200)
  })

  test('429: the daily limit, after one request', async () => {
    const { statuses, fetch } = watchFetch()
    const apiKey = await createKey('one-per-day')
    await useUp(apiKey)
    // Left alone, old releases ask six times more within two minutes, in vain.
    const settings = release.givesUpForTheDay ? { apiKey } : { apiKey, maxRetries: 0 }
    await assert.rejects(create(settings, fetch).invoke('Hello'), /00:00 UTC/)
    assert.deepEqual(statuses, [429])
  })
}

async function askWithTool(release: LangChainVersion, model: ChatOpenAI): Promise<void> {
  const { cities, answer } = createWeatherTool()
  const tool = release.createTool(answer)
  const armed = model.bindTools([tool])
  const question = { role: 'user', content: WEATHER_QUESTION }
  const first = await armed.invoke([question])
  const [call] = first.tool_calls ?? []
  assert.ok(call)
  const result = await tool.invoke(call)
  const second = await armed.invoke([question, first, result])
  assertWeatherTold(cities, second.content)
}

function readReasoning({ additional_kwargs }: Pick<AIMessage, 'additional_kwargs'>): string {
  return (additional_kwargs as { reasoning_content?: string }).reasoning_content ?? ''
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiRoot, createKey } from '../control-client.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertStopsOnAbort, STORY, STORY_PENALTY } from '../endless-story.ts'
import { PEBBLE, PEBBLE_STRICT } from '../models.ts'
import { assertBob, PERSON_QUESTION, PERSON_SCHEMA } from '../structured-output.ts'
import { exhaustLimit } from '../exhaust-limit.ts'
import { recordStatuses } from '../record-statuses.ts'
import { assertWeatherReply, createWeatherTool, WEATHER_QUESTION } from '../weather-tool.ts'

type ChatOpenAI = import('@langchain/openai').ChatOpenAI
type ChatOpenAISettings = ConstructorParameters<typeof import('@langchain/openai').ChatOpenAI>[0]
type AIMessage = import('@langchain/core/messages').AIMessage
type Tool = import('@langchain/core/tools').StructuredToolInterface

/** One release of LangChain, typed as the newest release. */
export type LangChainVersion = {
  readonly version: string
  readonly createModel: (settings: ChatOpenAISettings) => ChatOpenAI
  readonly createTool: (answer: (input: { city: string }) => string) => Tool
  readonly showsReasoning: boolean
  /** Whether it does not retry if `Retry-After` is hours away. */
  readonly stopsAtDailyLimit: boolean
}

export async function testLangChain(release: LangChainVersion): Promise<void> {
  const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('no-api-keys')])
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
  test('text: content and usage', async () => {
    const message = await create().invoke('What is the capital of France?')
    assert.match(message.text, /Paris/)
    assert.equal(message.response_metadata.finish_reason, 'stop')
    const { output_tokens } = {
      ...(message.usage_metadata as { output_tokens?: number } | undefined),
    }
    assert.ok((output_tokens ?? 0) > 0)
  })

  test('stream: all chunks in order', async () => {
    const pieces = await Array.fromAsync(await create().stream(COUNTING))
    assertCounted(pieces.map(({ text }) => text))
  })

  if (release.showsReasoning) {
    test('reasoning: as JSON and streamed', async () => {
      const message = await create().invoke('Hello')
      assert.ok(readReasoning(message))
      const pieces = await Array.fromAsync(await create().stream('Hello'))
      assert.ok(pieces.map((piece) => readReasoning(piece) ?? '').join(''))
    })
  }

  test('tools: two steps', () => askWithTool(release, create()))

  test('tools: the client drops the reasoning, so a strict model rejects the second step', () =>
    assert.rejects(askWithTool(release, create({ model: PEBBLE_STRICT })), {
      status: 400,
      code: 'missing_required_parameter',
    }))

  test('JSON schema: the object matches the schema', async () => {
    const model = create().withStructuredOutput(PERSON_SCHEMA, {
      name: 'person',
      method: 'jsonSchema',
    })
    assertBob(await model.invoke(PERSON_QUESTION))
  })

  test('abort: disconnecting mid-stream stops the engine', async () => {
    await assertStopsOnAbort(async (maxTokens, seen) => {
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
  const errors = [
    [400, 'invalid_value', { temperature: 3 }],
    [401, 'invalid_api_key', { apiKey: 'sk-unknown' }],
    [403, 'plan_access_denied', { apiKey: keyWithoutAccess }],
    [404, 'model_not_found', { model: 'headrace/boulder' }],
  ] as const
  for (const [status, code, change] of errors) {
    test(`${status}: the error has status and code, without a retry`, async () => {
      const { statuses, fetch } = recordStatuses()
      await assert.rejects(create(change, fetch).invoke('Hello'), { status, code })
      assert.deepEqual(statuses, [status])
    })
  }

  test('429: waits for the per-minute limit, then succeeds', async () => {
    const { statuses, fetch } = recordStatuses()
    const apiKey = await createKey('few-per-minute')
    await exhaustLimit(apiKey)
    const message = await create({ apiKey }, fetch).invoke('Hello')
    assert.ok(message.content)
    assert.equal(statuses[0], 429)
    assert.equal(statuses.at(-1), 200)
  })

  test('429: the daily limit fails after one request', async () => {
    const { statuses, fetch } = recordStatuses()
    const apiKey = await createKey('one-per-day')
    await exhaustLimit(apiKey)
    // By default old releases retry six times within two minutes, in vain.
    const settings = release.stopsAtDailyLimit ? { apiKey } : { apiKey, maxRetries: 0 }
    await assert.rejects(create(settings, fetch).invoke('Hello'), /00:00 UTC/)
    assert.deepEqual(statuses, [429])
  })
}

async function askWithTool(release: LangChainVersion, model: ChatOpenAI): Promise<void> {
  const { cities, answer } = createWeatherTool()
  const tool = release.createTool(answer)
  const modelWithTool = model.bindTools([tool])
  const question = { role: 'user', content: WEATHER_QUESTION }
  const first = await modelWithTool.invoke([question])
  const [call] = first.tool_calls ?? []
  assert.ok(call)
  const result = await tool.invoke(call)
  const second = await modelWithTool.invoke([question, first, result])
  assertWeatherReply(cities, second.content)
}

function readReasoning({ additional_kwargs }: Pick<AIMessage, 'additional_kwargs'>): string {
  return (additional_kwargs as { reasoning_content?: string }).reasoning_content ?? ''
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

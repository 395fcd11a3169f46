import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiRoot, createKey } from '../at-desk.ts'
import { PEBBLE } from '../models.ts'
import { useUp } from '../use-up.ts'
import { watchFetch } from '../watch-fetch.ts'
import { VERSIONS, type OpenAIClient } from './versions.ts'

const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('unreachable')])

const HELLO = {
  model: PEBBLE,
  messages: [{ role: 'user' as const, content: 'Hello' }],
  temperature: 0,
}

/** What coding agents ask for by default. */
const OUTPUT_OF_AGENTS = 32_000

/** Some words more than `pebble` can read. */
const LONG_SPEECH = 'Hello and welcome. '.repeat(2_000)

/** The SDK's own backoff starts at half a second: faster than this, it did not retry. */
const FAIL_FAST_MS = 500

for (const { version, OpenAI } of VERSIONS) {
  const client = new OpenAI({ baseURL: apiRoot, apiKey })
  const sayHello = (other: OpenAIClient, change: object = {}) =>
    other.chat.completions.create({ ...HELLO, ...change })

  describe(`openai ${version}`, () => {
    test('400: BadRequestError names code and parameter', async () => {
      const refused = sayHello(client, { temperature: 3 })
      await assertError(refused, OpenAI.BadRequestError, {
        status: 400,
        type: 'invalid_request_error',
        code: 'invalid_value',
        param: 'temperature',
      })
    })

    test('400: BadRequestError for a parameter that is not supported', async () => {
      const refused = sayHello(client, { user: 'somebody' })
      await assertError(refused, OpenAI.BadRequestError, {
        code: 'unsupported_parameter',
        param: 'user',
      })
    })

    test('400: an output limit that the model does not have names its parameter', async () => {
      const refused = sayHello(client, { max_tokens: OUTPUT_OF_AGENTS })
      await assertError(refused, OpenAI.BadRequestError, {
        code: 'invalid_value',
        param: 'max_tokens',
        message: /at most 2048/,
      })
    })

    test('400: a context that is too long says how long it may be', async () => {
      const refused = sayHello(client, { messages: [{ role: 'user', content: LONG_SPEECH }] })
      await assertError(refused, OpenAI.BadRequestError, {
        code: 'context_length_exceeded',
        param: 'messages',
        message: /maximum context length is 4096 tokens/,
      })
    })

    test('401: AuthenticationError', async () => {
      const stranger = new OpenAI({ baseURL: apiRoot, apiKey: 'sk-nobody' })
      await assertError(sayHello(stranger), OpenAI.AuthenticationError, {
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
      })
    })

    test('403: PermissionDeniedError', async () => {
      const outsider = new OpenAI({ baseURL: apiRoot, apiKey: keyWithoutAccess })
      await assertError(sayHello(outsider), OpenAI.PermissionDeniedError, {
        status: 403,
        type: 'permission_error',
        code: 'plan_access_denied',
      })
    })

    test('404: NotFoundError, from a completion and from a look-up', async () => {
      const expected = { status: 404, code: 'model_not_found', param: 'model' }
      const completion = sayHello(client, { model: 'headrace/boulder' })
      await assertError(completion, OpenAI.NotFoundError, expected)
      await assertError(client.models.retrieve('headrace/boulder'), OpenAI.NotFoundError, expected)
    })

    test('429: the SDK waits for the minute limit as told, and then succeeds', async () => {
      const { statuses, fetch } = watchFetch()
      const key = await createKey('few-per-minute')
      const limited = new OpenAI({ baseURL: apiRoot, apiKey: key, fetch })
      await useUp(key)
      const completion = await sayHello(limited)
      assert.deepEqual(statuses, [429, 200])
      assert.ok(completion.choices[0]?.message.content)
    })

    test('429: RateLimitError for the daily limit at once, after one request', async () => {
      const { statuses, fetch } = watchFetch()
      const key = await createKey('one-per-day')
      const limited = new OpenAI({ baseURL: apiRoot, apiKey: key, fetch })
      await useUp(key)
      const startedMs = performance.now()
      await assertError(sayHello(limited), OpenAI.RateLimitError, {
        status: 429,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: /00:00 UTC/,
      })
      assert.deepEqual(statuses, [429])
      assert.ok(performance.now() - startedMs < FAIL_FAST_MS)
    })
  })
}

type ErrorClass = abstract new (...parameters: never[]) => Error

async function assertError(
  refused: Promise<unknown>,
  kind: ErrorClass,
  expected: Record<string, unknown>,
): Promise<void> {
  await assert.rejects(refused, (error: Error) => {
    assert.equal(error.constructor, kind, `${error.constructor.name}: ${error.message}`)
    for (const [name, value] of Object.entries(expected)) {
      const actual = (error as unknown as Record<string, unknown>)[name]
      if (value instanceof RegExp) assert.match(String(actual), value)
      else assert.equal(actual, value, name)
    }
    return true
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiRoot, createKey } from '../control-client.ts'
import { PEBBLE } from '../models.ts'
import { exhaustLimit } from '../exhaust-limit.ts'
import { recordStatuses } from '../record-statuses.ts'
import { VERSIONS, type OpenAIClient } from './versions.ts'

const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('no-api-keys')])

const HELLO = {
  model: PEBBLE,
  messages: [{ role: 'user' as const, content: 'Hello' }],
  temperature: 0,
}

/** The default output limit of coding agents. */
const OUTPUT_TOKENS_OF_AGENTS = 32_000

/** Longer than the context of `pebble`. */
const LONG_TEXT = 'Hello and welcome. '.repeat(2_000)

/** The SDK's backoff starts at half a second, so a faster failure means no retry. */
const FAIL_FAST_MS = 500

for (const { version, OpenAI } of VERSIONS) {
  const client = new OpenAI({ baseURL: apiRoot, apiKey })
  const sayHello = (other: OpenAIClient, change: object = {}) =>
    other.chat.completions.create({ ...HELLO, ...change })

  describe(`openai ${version}`, () => {
    test('400: BadRequestError names code and parameter', async () => {
      const request = sayHello(client, { temperature: 3 })
      await assertError(request, OpenAI.BadRequestError, {
        status: 400,
        type: 'invalid_request_error',
        code: 'invalid_value',
        param: 'temperature',
      })
    })

    test('400: BadRequestError for a parameter that is not supported', async () => {
      const request = sayHello(client, { user: 'someone' })
      await assertError(request, OpenAI.BadRequestError, {
        code: 'unsupported_parameter',
        param: 'user',
      })
    })

    test('400: an output limit above the model’s names its parameter', async () => {
      const request = sayHello(client, { max_tokens: OUTPUT_TOKENS_OF_AGENTS })
      await assertError(request, OpenAI.BadRequestError, {
        code: 'invalid_value',
        param: 'max_tokens',
        message: /at most 2048/,
      })
    })

    test('400: for a prompt beyond the context, the message has the length', async () => {
      const request = sayHello(client, { messages: [{ role: 'user', content: LONG_TEXT }] })
      await assertError(request, OpenAI.BadRequestError, {
        code: 'context_length_exceeded',
        param: 'messages',
        message: /maximum context length is 4096 tokens/,
      })
    })

    test('401: AuthenticationError', async () => {
      const anonymous = new OpenAI({ baseURL: apiRoot, apiKey: 'sk-unknown' })
      await assertError(sayHello(anonymous), OpenAI.AuthenticationError, {
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
      })
    })

    test('403: PermissionDeniedError', async () => {
      const unauthorized = new OpenAI({ baseURL: apiRoot, apiKey: keyWithoutAccess })
      await assertError(sayHello(unauthorized), OpenAI.PermissionDeniedError, {
        status: 403,
        type: 'permission_error',
        code: 'plan_access_denied',
      })
    })

    test('404: NotFoundError, for a completion and for a model', async () => {
      const expected = { status: 404, code: 'model_not_found', param: 'model' }
      const completion = sayHello(client, { model: 'headrace/boulder' })
      await assertError(completion, OpenAI.NotFoundError, expected)
      await assertError(client.models.retrieve('headrace/boulder'), OpenAI.NotFoundError, expected)
    })

    test('429: the SDK waits as long as Retry-After says, then succeeds', async () => {
      const { statuses, fetch } = recordStatuses()
      const key = await createKey('few-per-minute')
      const limited = new OpenAI({ baseURL: apiRoot, apiKey: key, fetch })
      await exhaustLimit(key)
      const completion = await sayHello(limited)
      assert.deepEqual(statuses, [429, 200])
      assert.ok(completion.choices[0]?.message.content)
    })

    test('429: RateLimitError for the daily limit, without a retry', async () => {
      const { statuses, fetch } = recordStatuses()
      const key = await createKey('one-per-day')
      const limited = new OpenAI({ baseURL: apiRoot, apiKey: key, fetch })
      await exhaustLimit(key)
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
  request: Promise<unknown>,
  kind: ErrorClass,
  expected: Record<string, unknown>,
): Promise<void> {
  await assert.rejects(request, (error: Error) => {
    assert.equal(error.constructor, kind, `${error.constructor.name}: ${error.message}`)
    for (const [name, value] of Object.entries(expected)) {
      const actual = (error as unknown as Record<string, unknown>)[name]
      if (value instanceof RegExp) assert.match(String(actual), value)
      else assert.equal(actual, value, name)
    }
    return true
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createKey } from '../control-client.ts'
import { PEBBLE } from '../models.ts'
import { exhaustLimit } from '../exhaust-limit.ts'
import { recordStatuses } from '../record-statuses.ts'
import { VERSIONS } from './versions.ts'

const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('no-api-keys')])

for (const { name, ai, createModel } of VERSIONS) {
  const sayHello = (model: ReturnType<typeof createModel>, change: object = {}) =>
    ai.generateText({ model, prompt: 'Hello', temperature: 0, ...change })
  const isCallError = (statusCode: number, code: string) => (error: unknown) => {
    assert.ok(ai.APICallError.isInstance(error), String(error))
    assert.equal(error.statusCode, statusCode)
    assert.equal(error.isRetryable, statusCode === 429)
    const body = JSON.parse(error.responseBody ?? '') as { error: { code: string } }
    assert.equal(body.error.code, code)
    return true
  }

  describe(name, () => {
    test('400: APICallError, not retried', async () => {
      const request = sayHello(createModel(PEBBLE, apiKey), { temperature: 3 })
      await assert.rejects(request, isCallError(400, 'invalid_value'))
    })

    test('401: APICallError, not retried', async () => {
      const request = sayHello(createModel(PEBBLE, 'sk-unknown'))
      await assert.rejects(request, isCallError(401, 'invalid_api_key'))
    })

    test('403: APICallError, not retried', async () => {
      const request = sayHello(createModel(PEBBLE, keyWithoutAccess))
      await assert.rejects(request, isCallError(403, 'plan_access_denied'))
    })

    test('404: APICallError, not retried', async () => {
      const request = sayHello(createModel('headrace/boulder', apiKey))
      await assert.rejects(request, isCallError(404, 'model_not_found'))
    })

    test('429: the SDK waits as long as Retry-After says, then succeeds', async () => {
      const { statuses, fetch } = recordStatuses()
      const key = await createKey('few-per-minute')
      await exhaustLimit(key)
      const { text } = await sayHello(createModel(PEBBLE, key, fetch))
      assert.deepEqual(statuses, [429, 200])
      assert.ok(text)
    })

    test('429: the daily limit has the time until it resets', async () => {
      const key = await createKey('one-per-day')
      await exhaustLimit(key)
      // The SDK ignores `x-should-retry`: by default it retries twice, in vain.
      const request = sayHello(createModel(PEBBLE, key), { maxRetries: 0 })
      await assert.rejects(request, (error: unknown) => {
        isCallError(429, 'rate_limit_exceeded')(error)
        const headers = (error as { responseHeaders: Record<string, string> }).responseHeaders
        assert.match(headers['retry-after'] ?? '', /^\d+$/)
        assert.equal(headers['x-should-retry'], 'false')
        return true
      })
    })
  })
}

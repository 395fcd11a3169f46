import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createKey } from '../at-desk.ts'
import { PEBBLE } from '../models.ts'
import { useUp } from '../use-up.ts'
import { watchFetch } from '../watch-fetch.ts'
import { VERSIONS } from './versions.ts'

const [apiKey, keyWithoutAccess] = await Promise.all([createKey(), createKey('unreachable')])

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
    test('400: APICallError that is not retried', async () => {
      const refused = sayHello(createModel(PEBBLE, apiKey), { temperature: 3 })
      await assert.rejects(refused, isCallError(400, 'invalid_value'))
    })

    test('401: APICallError that is not retried', async () => {
      const refused = sayHello(createModel(PEBBLE, 'sk-nobody'))
      await assert.rejects(refused, isCallError(401, 'invalid_api_key'))
    })

    test('403: APICallError that is not retried', async () => {
      const refused = sayHello(createModel(PEBBLE, keyWithoutAccess))
      await assert.rejects(refused, isCallError(403, 'plan_access_denied'))
    })

    test('404: APICallError that is not retried', async () => {
      const refused = sayHello(createModel('headrace/boulder', apiKey))
      await assert.rejects(refused, isCallError(404, 'model_not_found'))
    })

    test('429: the SDK waits for the minute limit as told, and then succeeds', async () => {
      const { statuses, fetch } = watchFetch()
      const key = await createKey('few-per-minute')
      await useUp(key)
      const { text } = await sayHello(createModel(PEBBLE, key, fetch))
      assert.deepEqual(statuses, [429, 200])
      assert.ok(text)
    })

    test('429: the daily limit, with the time until it resets', async () => {
      const key = await createKey('one-per-day')
      await useUp(key)
      // The SDK does not read `x-should-retry`: left alone it asks twice more, in vain.
      const refused = sayHello(createModel(PEBBLE, key), { maxRetries: 0 })
      await assert.rejects(refused, (error: unknown) => {
        isCallError(429, 'rate_limit_exceeded')(error)
        const headers = (error as { responseHeaders: Record<string, string> }).responseHeaders
        assert.match(headers['retry-after'] ?? '', /^\d+$/)
        assert.equal(headers['x-should-retry'], 'false')
        return true
      })
    })
  })
}

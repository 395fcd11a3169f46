import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startService } from '../harness/service.ts'
import { createClient, readError } from './client.ts'
import { request } from './start.ts'

/** No server listens on it. */
const DEAD_PORT = 9

const RETRY_AFTER = /^[1-9]\d*$/

describe('503', () => {
  test('503: nothing is admitted while the limits are unavailable', async () => {
    const valkey_urls = [`redis://127.0.0.1:${DEAD_PORT}`]
    await using service = await startService((config) => ({ ...config, valkey_urls }))
    const { key } = await service.createCaller()
    await using client = createClient(service, key)
    const answers = await Promise.all([client.chat(request()), client.get('/models')])
    for (const answer of answers) {
      assert.equal(answer.status, 503)
      const { type, code } = readError(answer)
      assert.deepEqual([type, code], ['api_error', 'rate_limit_unavailable'])
      assert.match(answer.headers['retry-after'] ?? '', RETRY_AFTER)
      assert.equal(answer.headers['x-ratelimit-limit-requests'], undefined)
    }
    const ready = await fetch(`${service.healthAddress}/readyz`)
    assert.equal(ready.status, 503)
  })

  test('503: while the accounts are unavailable, a valid key never gets 401', async () => {
    const database_url = `postgres://nobody@127.0.0.1:${DEAD_PORT}/nothing`
    await using service = await startService((config) => ({ ...config, database_url }))
    const { key } = await service.createCaller()
    await using client = createClient(service, key)
    const answer = await client.chat(request())
    assert.equal(answer.status, 503)
    assert.equal(readError(answer).code, 'service_unavailable')
    assert.equal(answer.headers['service-data-retention'], 'zero')
  })
})

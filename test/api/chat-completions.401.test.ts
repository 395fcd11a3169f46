import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { readError } from './client.ts'
import { request, startApi, type Api } from './start.ts'

describe('401', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api[Symbol.asyncDispose]())

  test('401: carries x-request-id and no other header of the interface', async () => {
    for (const key of [undefined, 'sk-unknown', createApiKey('headrace')]) {
      const { status, headers } = await api.client.chat(request(), { key })
      assert.equal(status, 401)
      const names = Object.keys(headers).filter((name) => /^x-|retention/.test(name))
      assert.deepEqual(names, ['x-request-id'])
    }
  })

  test('401: a missing and an invalid credential have different codes', async () => {
    const missing = readError(await api.client.chat(request(), { key: undefined }))
    assert.deepEqual([missing.type, missing.code], ['authentication_error', 'missing_api_key'])
    const wrong = readError(await api.client.chat(request(), { key: 'sk-unknown' }))
    assert.deepEqual([wrong.type, wrong.code], ['authentication_error', 'invalid_api_key'])
  })

  test('401: without a credential, existing and unknown paths respond the same', async () => {
    const texts = ['/models', '/models/headrace/pebble', '/nothing', ''].map(async (path) => {
      const { status, text } = await api.client.get(path, { key: undefined })
      return `${status} ${text}`
    })
    assert.equal(new Set(await Promise.all(texts)).size, 1)
  })

  test('401: without a credential, the response is sent before the body is read', async () => {
    const answer = await api.client.chat({}, { key: undefined, body: '{"cut' })
    assert.equal(answer.status, 401)
  })

  test('401: a key in the query or in another header is not accepted', async () => {
    const { key } = api
    const path = `/models?api_key=${key}&key=${key}`
    const headers = { 'x-api-key': key, 'api-key': key }
    const answer = await api.client.get(path, { key: undefined, headers })
    assert.equal(readError(answer).code, 'missing_api_key')
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readError } from './client.ts'
import { request, startApi, type Api } from './start.ts'

describe('415', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api[Symbol.asyncDispose]())

  test('415: a media type other than JSON is rejected, whatever the body', async () => {
    for (const type of ['text/plain', 'multipart/form-data', 'application/jsonp', '']) {
      const answer = await api.client.chat(request(), { headers: { 'content-type': type } })
      assert.equal(answer.status, 415, type)
      const { code, param } = readError(answer)
      assert.deepEqual([code, param], ['unsupported_media_type', null])
      assert.equal(answer.headers['x-ratelimit-limit-tokens']?.length, 10)
    }
  })

  test('200: the media type is case-insensitive and may have a charset', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON ;charset=UTF-8']) {
      const answer = await api.client.chat(request(), { headers: { 'content-type': type } })
      assert.equal(answer.status, 200, type)
    }
  })

  test('415: a compressed body is rejected and never decompressed', async () => {
    const body = gzipSync(JSON.stringify(request()))
    const headers = { 'content-encoding': 'gzip' }
    assert.equal((await api.client.chat({}, { body, headers })).status, 415)
  })
})

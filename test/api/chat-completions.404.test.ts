import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readError } from './client.ts'
import { request, startApi, type Api } from './start.ts'

describe('404 and 405', () => {
  let api: Api
  before(async () => {
    api = await startApi((config) => {
      const { ample } = config.plans
      if (ample === undefined) throw new Error('the harness has no ample plan')
      const narrow = { ...ample, models: ['headrace/pebble'] }
      return { ...config, plans: { ...config.plans, narrow } }
    })
  })
  after(() => api[Symbol.asyncDispose]())

  test('404: an unknown model is reported with its parameter', async () => {
    const answer = await api.client.chat(request({ model: 'no/such' }))
    assert.equal(answer.status, 404)
    const { code, param } = readError(answer)
    assert.deepEqual([code, param], ['model_not_found', 'model'])
  })

  test('404: a model outside the plan looks like one that does not exist', async () => {
    const { key } = await api.service.createCaller('narrow')
    const outside = await api.client.chat(request({ model: 'headrace/pebble-strict' }), { key })
    const unknown = await api.client.chat(request({ model: 'no/such' }), { key })
    assert.equal(outside.status, 404)
    assert.equal(outside.text, unknown.text)
  })

  test('400: an invalid request is rejected before its model is looked up', async () => {
    const answer = await api.client.chat(request({ model: 'no/such', temperature: 9 }))
    assert.equal(readError(answer).param, 'temperature')
  })

  test('404: any other endpoint is unsupported_endpoint, admitted and counted', async () => {
    const { key } = await api.service.createCaller()
    const paths = ['/embeddings', '/responses', '/chat/completions/', '/models/', '']
    for (const [index, path] of paths.entries()) {
      const sent = { method: 'POST', path, key, headers: {}, body: '{}' }
      const answer = await api.client.send(sent)
      assert.equal(answer.status, 404, path)
      assert.equal(readError(answer).code, 'unsupported_endpoint')
      const limit = Number(answer.headers['x-ratelimit-limit-requests-day'])
      const left = Number(answer.headers['x-ratelimit-remaining-requests-day'])
      assert.equal(limit - left, index + 1)
    }
  })

  test('404: the message names the setting of the client that is wrong', async () => {
    const { key } = await api.service.createCaller()
    const messageAt = async (path: string) =>
      readError(await api.client.send({ method: 'POST', path, key, headers: {}, body: '{}' }))
        .message
    assert.match(await messageAt('/responses'), /^The Responses API is not supported. Configure/)
    assert.match(await messageAt('/completions'), /not supported. Configure .* chat completions/)
    assert.match(await messageAt('/v1/chat/completions'), /the base URL contains \/v1 twice/)
    assert.match(await messageAt('/v1'), /the base URL contains \/v1 twice/)
    assert.match(await messageAt('/v1beta'), /^This endpoint does not exist. The API root/)
  })

  test('404: a wrong base URL is told the API root, in the form of every other error', async () => {
    const { origin } = new URL(api.service.apiRoot)
    const authorization = `Bearer ${(await api.service.createCaller()).key}`
    const wrong = [
      '',
      '/v1',
      '/v1/v1',
      '/compat',
      '/api/v1',
      '/compat/v1/v1',
      '/compat/v1/compat/v1',
    ]
    for (const base of wrong)
      for (const path of ['/chat/completions', '/models']) {
        const response = await fetch(`${origin}${base}${path}`, { headers: { authorization } })
        assert.equal(response.status, 404, base)
        const { error } = (await response.json()) as { readonly error: Record<string, unknown> }
        const { message, ...rest } = error
        assert.deepEqual(rest, {
          type: 'invalid_request_error',
          param: null,
          code: 'unsupported_endpoint',
        })
        assert.match(
          String(message),
          /API root is \/compat\/v1: .* http\(s\):\/\/HOST\/compat\/v1\./,
        )
      }
  })

  test('405: a known path with another method names the allowed one', async () => {
    const cases = [
      ['GET', '/chat/completions', 'POST'],
      ['POST', '/models', 'GET'],
      ['DELETE', '/models/headrace/pebble', 'GET'],
    ] as const
    for (const [method, path, allowed] of cases) {
      const answer = await api.client.get(path, { method })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers['allow'], allowed)
      assert.equal(readError(answer).code, 'unsupported_method')
    }
  })
})

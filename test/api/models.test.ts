import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readError, readJson } from './client.ts'
import { startApi, type Api } from './start.ts'

type Model = { id: string; object: string; created: number; shutdown_date: string | null }

describe('models', () => {
  let api: Api
  before(async () => {
    api = await startApi((config) => {
      const [model] = config.models
      const { ample } = config.plans
      if (model === undefined || ample === undefined) throw new Error('not the demo configuration')
      return {
        ...config,
        models: [
          ...config.models,
          { ...model, id: 'gone', shutdown_date: '2020-01-01' },
          { ...model, id: 'going', shutdown_date: '2999-12-31' },
        ],
        plans: { ...config.plans, narrow: { ...ample, models: ['going', 'gone'] } },
      }
    })
  })
  after(() => api[Symbol.asyncDispose]())

  test('200: the list contains the models of the plan, and each can be retrieved', async () => {
    const { key } = await api.service.createCaller('narrow')
    const list = readJson(await api.client.get('/models', { key })) as {
      object: string
      data: Model[]
    }
    assert.equal(list.object, 'list')
    assert.deepEqual(
      list.data.map(({ id, shutdown_date }) => [id, shutdown_date]),
      [['going', '2999-12-31']],
    )
    assert.deepEqual(readJson(await api.client.get('/models/going', { key })), list.data[0])
    assert.equal((await api.client.get('/models/headrace/pebble', { key })).status, 404)
    assert.equal((await api.client.get('/models/gone', { key })).status, 404)
  })

  test('200: an id with a slash is found raw or encoded once; 404 if encoded twice', async () => {
    for (const id of ['headrace/pebble', 'headrace%2Fpebble'])
      assert.equal((readJson(await api.client.get(`/models/${id}`)) as Model).id, 'headrace/pebble')
    for (const id of ['headrace%252Fpebble', 'headrace/../headrace/pebble', 'headrace/pebble%00']) {
      const answer = await api.client.get(`/models/${id}`)
      assert.equal(answer.status, 404)
      const { code, param } = readError(answer)
      assert.deepEqual([code, param], ['model_not_found', 'model'])
    }
  })

  test('200: responses report request limits and no token limits', async () => {
    for (const path of ['/models', '/models/headrace/pebble', '/models/none']) {
      const { headers } = await api.client.get(path)
      const names = Object.keys(headers).filter((name) => name.startsWith('x-ratelimit-'))
      assert.equal(names.length, 6)
      assert.ok(names.every((name) => name.includes('-requests')))
    }
  })
})

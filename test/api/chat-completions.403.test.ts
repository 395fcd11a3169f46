import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import { readError } from './client.ts'
import { request, startApi, type Api } from './start.ts'

describe('403', () => {
  let api: Api
  before(async () => {
    api = await startApi((config) => {
      const { ample } = config.plans
      if (ample === undefined) throw new Error('the harness has no ample plan')
      const closed = { ...ample, credentials: ['playground'] as const }
      return { ...config, plans: { ...config.plans, closed } }
    })
  })
  after(() => api[Symbol.asyncDispose]())

  test('403: a plan without API keys rejects them on every path, without admission', async () => {
    const { key } = await api.service.createCaller('closed')
    const answers = [
      await api.client.chat(request(), { key }),
      await api.client.get('/models', { key }),
      await api.client.get('/nothing', { key }),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 403)
      const { type, code } = readError(answer)
      assert.deepEqual([type, code], ['permission_error', 'plan_access_denied'])
      assert.equal(answer.headers['x-ratelimit-limit-requests'], undefined)
      assert.equal(answer.headers['service-data-retention'], 'zero')
      assert.equal(answer.headers['x-server-request-id'], answer.headers['x-request-id'])
    }
  })

  test('403: comes before 402', async () => {
    const { organizationId, key } = await api.service.createCaller('closed')
    const changes = { billingState: 'exhausted' } as const
    await changeOrganization(api.service.postgres.database, organizationId, changes)
    assert.equal((await api.client.chat(request(), { key })).status, 403)
  })

  test('403: an organization whose plan was removed is rejected, not a 500', async () => {
    const { key } = await api.service.createCaller('removed')
    assert.equal((await api.client.chat(request(), { key })).status, 403)
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import { readError } from './client.ts'
import { request, startApi, type Api } from './start.ts'

const STATES = [
  { billingState: 'exhausted', status: 402, code: 'insufficient_balance' },
  { billingState: 'conflict', status: 409, code: 'billing_conflict' },
] as const

describe('402 and 409', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api[Symbol.asyncDispose]())

  for (const { billingState, status, code } of STATES) {
    test(`${status}: a chat is rejected without admission, and must not be retried`, async () => {
      const { organizationId, key } = await api.service.createCaller()
      await changeOrganization(api.service.postgres.database, organizationId, { billingState })
      const answer = await api.client.chat(request(), { key })
      assert.equal(answer.status, status)
      const { type, code: actual, param } = readError(answer)
      assert.deepEqual([type, actual, param], ['billing_error', code, null])
      assert.equal(answer.headers['x-should-retry'], 'false')
      assert.equal(answer.headers['x-ratelimit-limit-requests'], undefined)
      assert.equal(answer.headers['service-data-retention'], 'zero')
    })

    test(`${status}: models can still be listed`, async () => {
      const { organizationId, key } = await api.service.createCaller()
      await changeOrganization(api.service.postgres.database, organizationId, { billingState })
      assert.equal((await api.client.get('/models', { key })).status, 200)
    })
  }
})

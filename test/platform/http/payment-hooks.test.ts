import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createBodyBudget } from '../../../src/http/body-budget.ts'
import { createPaymentHooks } from '../../../src/platform/api/payment-hooks.ts'
import { startPayingConsole } from '../../harness/payments/paying-console.ts'
import { startApiServer } from '../../harness/servers/api-server.ts'

const console_ = await startPayingConsole()
after(() => console_[Symbol.asyncDispose]())

test('503 without memory for a webhook, so that the provider sends it again', async () => {
  const { environment } = console_
  const hooks = createPaymentHooks({ environment, bodyBudget: createBodyBudget(8) })
  await using server = await startApiServer(hooks)
  const response = await fetch(server.url, { method: 'POST', body: 'x'.repeat(100) })
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('retry-after'), '1')
  const { error } = (await response.json()) as { error: { code: string } }
  assert.equal(error.code, 'service_unavailable')
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, startConsole, type Person, type TestConsole } from '../harness/processes/console.ts'
import { addUsage } from '../harness/seed/billing-rows.ts'

let console_: TestConsole
let operator: Person
let support: Person

before(async () => {
  console_ = await startConsole()
  operator = await console_.openPerson({ platformRole: 'operator' })
  support = await console_.openPerson({ platformRole: 'support' })
})
after(() => console_[Symbol.asyncDispose]())

test('operators read what an organization used by day and model, and by nothing else', async () => {
  const { id, projectId } = await console_.openOrganization()
  const send = (query: string, as = operator.as) =>
    ask(console_.root, 'GET', `/operator/organizations/${id}/usage${query}`, { as })
  await addUsage(console_.postgres.pool, { id, projectId }, 7_000_000)
  for (const as of [operator.as, support.as]) {
    const { status, body } = await send('?by=day&by=model', as)
    assert.equal(status, 200)
    assert.equal(body.data.length, 1)
    const { model: used, requests, cost } = body.data[0] as Record<string, unknown>
    assert.deepEqual([used, requests], ['example/large', 2])
    assert.equal((cost as { amount_micro: number }).amount_micro, 7_000_000)
  }
  const owner = await console_.openPerson({ organizationId: id, role: 'owner' })
  assert.equal((await send('', owner.as)).status, 403)
  for (const by of ['key', 'member', 'project']) assert.equal((await send(`?by=${by}`)).status, 400)
})

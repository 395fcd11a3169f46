// Lists in an order that the database or the console makes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { HOUR_MS } from '../../src/lib/time.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { postUsage } from '../../src/store/ledger/usage-records.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { INSTANCE, logged, usageRecord } from '../harness/seed/usage-records.ts'

const console_ = await startConsole((config) => ({
  ...config,
  plans: { ...config.plans, narrow: config.plans['ample']! },
}))
const operator = await console_.openPerson({ platformRole: 'operator' })
after(() => console_[Symbol.asyncDispose]())

test('requests are listed by cost and duration, the highest first, without refusals', async () => {
  const organization = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId: organization.id, role: 'owner' })
  const path = `/organizations/${organization.id}`
  const costs = [5, 900, 70].map((cost, at) =>
    usageRecord({
      id: uuidV7(Date.now() - HOUR_MS * (at + 1)),
      organizationId: organization.id,
      projectId: organization.projectId,
      instance: INSTANCE,
      model: 'example/sorted',
      cost,
      durationMs: 1_000 - cost,
    }),
  )
  await postUsage(console_.postgres.pool, costs.map(logged))
  const list = (query: string) =>
    ask(console_.root, 'GET', `${path}/requests?model=example/sorted&${query}`, { as: owner.as })
  const costsOf = (body: Awaited<ReturnType<typeof list>>['body']) =>
    body.data.map(({ cost }) => (cost as { amount_micro: number }).amount_micro)
  const byCost = await list('sort=cost&limit=2')
  assert.equal(byCost.status, 200, byCost.text)
  assert.deepEqual([costsOf(byCost.body), byCost.body.next], [[900, 70], null])
  assert.deepEqual(costsOf((await list('sort=duration')).body), [5, 70, 900])
  for (const refused of ['sort=cost&outcome=refused', `sort=cost&after=${costs[0]?.id}`])
    assert.equal((await list(refused)).status, 400, refused)
})

test('organizations are sorted by name and plan, page by page and in a search', async () => {
  const word = `Sorted${Date.now()}`
  for (const [name, plan] of [
    [`${word} beta`, 'ample'],
    [`${word} Alpha`, 'narrow'],
    [`${word} Gamma`, 'ample'],
  ] as const) {
    const { id } = await console_.openOrganization(plan)
    const path = `/operator/organizations/${id}`
    const renamed = await ask(console_.root, 'PATCH', path, { as: operator.as, body: { name } })
    assert.equal(renamed.status, 200, renamed.text)
  }
  const walk = async (query: string) => {
    const found: string[] = []
    for (let next = ''; ;) {
      const path = `/operator/organizations?limit=1&q=${word}&${query}${next}`
      const { status, body, text } = await ask(console_.root, 'GET', path, { as: operator.as })
      assert.equal(status, 200, text)
      found.push(...body.data.map(({ name }) => String(name).replace(`${word} `, '')))
      if (body.next === null) return found.join(', ')
      assert.ok(found.length < 10, 'the list does not end')
      next = `&after=${body.next}`
    }
  }
  assert.equal(await walk('sort=name&order=asc'), 'Alpha, beta, Gamma')
  assert.equal(await walk('sort=name'), 'Gamma, beta, Alpha')
  assert.equal(await walk('sort=plan'), 'Alpha, Gamma, beta')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, startConsole } from '../harness/processes/console.ts'
import { grantFunds } from '../harness/seed/tenants.ts'

const console_ = await startConsole((config) => {
  const ample = config.plans['ample']!
  const models = config.models.map(({ id }) => id)
  const price = { input: 1, cached_input: 0.25, output: 4.5 }
  const prices = Object.fromEntries(models.map((id) => [id, price]))
  // The second model of the demo has no price of its own.
  const prepaid = { ...ample, billing: 'prepaid' as const }
  return {
    ...config,
    plans: { ...config.plans, paid: { ...prepaid, prices }, part: prepaid },
  }
})
after(() => console_[Symbol.asyncDispose]())

/** What a member is told of an organization on the plan. */
async function openMember(plan: string) {
  const { id } = await console_.openOrganization(plan)
  const { as } = await console_.openPerson({ organizationId: id, role: 'member' })
  const refused = async () =>
    (await ask(console_.root, 'GET', '/me/organizations', { as })).body.data[0]!['refused']
  return { id, refused }
}

test('every member learns that requests are refused because no balance is left', async () => {
  const { id, refused } = await openMember('paid')
  assert.equal(await refused(), 'no_balance')
  await grantFunds(console_.postgres.database, id, 5_000_000)
  assert.equal(await refused(), null)
})

test('with a model that is free of charge, or a later bill, no balance is needed', async () => {
  for (const plan of ['part', 'ample', 'gone'])
    assert.equal(await (await openMember(plan)).refused(), null, plan)
})

test('what the operator declared is told whatever the balance is', async () => {
  const { id, refused } = await openMember('paid')
  const { database } = console_.postgres
  await grantFunds(database, id, 5_000_000)
  for (const state of ['exhausted', 'conflict'] as const) {
    await database
      .updateTable('organizations')
      .set({ billing_state: state })
      .where('id', '=', id)
      .execute()
    assert.equal(await refused(), state)
  }
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, startConsole } from '../harness/processes/console.ts'
import { grantFunds } from '../harness/seed/tenants.ts'

const console_ = await startConsole((config) => {
  const ample = config.plans['ample']!
  const models = config.models.map(({ id }) => id)
  const prices = Object.fromEntries(models.map((id) => [id, { input: 1, output: 2 }]))
  const later = { ...ample, billing: 'postpaid' as const, prices }
  const paid = { ...later, billing: 'prepaid' as const }
  return { ...config, plans: { ...config.plans, later, paid } }
})
const operator = await console_.openPerson({ platformRole: 'operator' })
after(() => console_[Symbol.asyncDispose]())
const { database } = console_.postgres

/** An organization with a person who sees its billing, and how an operator limits its credit. */
async function open(plan = 'later') {
  const { id } = await console_.openOrganization(plan)
  const { as } = await console_.openPerson({ organizationId: id, role: 'viewer' })
  const path = `/operator/organizations/${id}`
  const set = (limit: string | null, by = operator.as, reason = 'contract 12') => {
    const credit_limit = limit === null ? null : { amount: limit }
    return ask(console_.root, 'PUT', `${path}/credit-limit`, {
      as: by,
      body: { credit_limit, reason },
    })
  }
  const shown = async () => (await ask(console_.root, 'GET', path, { as: operator.as })).body
  const balance = async () => {
    const { body } = await ask(console_.root, 'GET', `/organizations/${id}/balance`, { as })
    const amount = (name: string) => (body[name] as { amount: string } | null)?.amount ?? null
    return [amount('credit_limit'), amount('credit_used'), amount('available')]
  }
  const refused = async () =>
    (await ask(console_.root, 'GET', '/me/organizations', { as })).body.data[0]!['refused']
  const events = () =>
    database
      .selectFrom('audit_events')
      .select(['actor_label', 'changes'])
      .where('organization_id', '=', id)
      .where('action', '=', 'credit_limit.set')
      .orderBy('id')
      .execute()
  return { id, set, shown, balance, refused, events }
}

test('an operator sets and removes a credit limit, and the audit log has the reason', async () => {
  const { id, set, shown, events } = await open()
  const version = async () => {
    const rows = database.selectFrom('organizations').select('version').where('id', '=', id)
    return (await rows.executeTakeFirstOrThrow()).version
  }
  const earlier = await version()
  const answered = await set('500')
  assert.equal(answered.status, 200, answered.text)
  const currency = 'USD'
  const money = (amount: string, amount_micro: number) => ({ amount, amount_micro, currency })
  const [five, none] = [money('500.00', 500_000_000), money('0.00', 0)]
  assert.deepEqual(answered.body['credit_limit'], five)
  assert.equal(await version(), earlier + 1)
  const { credit_limit: limit, credit_used: used } = await shown()
  assert.deepEqual([limit, used], [five, none])
  // The same again is no event, but its version is announced again.
  assert.equal((await set('500.00')).status, 200)
  assert.equal((await set('0')).status, 200)
  assert.deepEqual((await set(null, operator.as, 'trusted')).body['credit_limit'], null)
  assert.deepEqual(
    (await events()).map(({ actor_label: by, changes }) => [by, changes]),
    [
      [operator.email, { credit_limit: [null, five], reason: [null, 'contract 12'] }],
      [operator.email, { credit_limit: [five, none], reason: [null, 'contract 12'] }],
      [operator.email, { credit_limit: [none, null], reason: [null, 'trusted'] }],
    ],
  )
})

test('only a confirmed operator sets one, and only to an amount, for a reason', async () => {
  const { id, set, events } = await open()
  const old = await console_.openPerson({ platformRole: 'operator', confirmed: false })
  const support = await console_.openPerson({ platformRole: 'support' })
  const owner = await console_.openPerson({ organizationId: id, role: 'owner' })
  const codes = []
  for (const { as } of [old, support, owner]) codes.push((await set('5', as)).body.error.code)
  assert.deepEqual(codes, ['confirmation_required', 'role_required', 'role_required'])
  for (const amount of ['-1', 'much', '1e3'])
    assert.equal((await set(amount)).body.error.param, 'credit_limit.amount', amount)
  for (const reason of ['', 'x'.repeat(201), 'two\nlines'])
    assert.equal((await set('5', operator.as, reason)).body.error.param, 'reason')
  assert.deepEqual(await events(), [])
})

test('whoever sees the balance sees limit, use and rest, while the limit is in force', async () => {
  const { id, set, balance, refused } = await open()
  assert.deepEqual([await balance(), await refused()], [[null, null, null], null])
  await set('500')
  assert.deepEqual([await balance(), await refused()], [['500.00', '0.00', '500.00'], null])
  const owes = { id: `receivable:${id}`, organization_id: id, debits: 123_000_000 }
  await database.insertInto('ledger_accounts').values(owes).execute()
  assert.deepEqual(await balance(), ['500.00', '123.00', '377.00'])
  await set('123')
  assert.deepEqual([await balance(), await refused()], [['123.00', '123.00', '0.00'], 'no_credit'])
  await set('100')
  assert.deepEqual(
    [await balance(), await refused()],
    [['100.00', '123.00', '-23.00'], 'no_credit'],
  )
  await grantFunds(database, id, 200_000_000)
  assert.deepEqual([await balance(), await refused()], [['100.00', '0.00', '177.00'], null])
  await set(null)
  assert.deepEqual([await balance(), await refused()], [[null, null, null], null])
})

test('on another plan a credit limit is stored and not in force', async () => {
  const { set, shown, balance, refused } = await open('paid')
  await set('500')
  assert.equal(((await shown())['credit_limit'] as { amount: string }).amount, '500.00')
  assert.deepEqual([await balance(), await refused()], [[null, null, '0.00'], 'no_balance'])
})

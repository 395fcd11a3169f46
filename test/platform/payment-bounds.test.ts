import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  codeOf,
  start,
  startPayingConsole,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { ask, startConsole, type Headers } from '../harness/processes/console.ts'
import { THINGS } from '../harness/routes/things.ts'
import { untilSomeoneWaits } from '../harness/servers/lock-wait.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const AMOUNT = { amount: { amount: '25.00' } }

test('amounts have bounds and whole cents', async () => {
  const payer = await console_.openPayer()
  for (const amount of ['4.99', '1000.01', '5.001', '-5', 'x', '0'])
    assert.deepEqual(
      codeOf(await payer.post('/payments', { amount: { amount } })),
      [400, 'invalid_value'],
      amount,
    )
  const { body } = await payer.get('/payment-options')
  assert.deepEqual(
    ['min', 'max', 'step'].map((name) => (body[name] as { amount: string }).amount),
    ['5.00', '1000.00', '0.01'],
  )
})

test('who has not paid yet starts few payments: three open, 100 a day', async () => {
  const payer = await console_.openPayer()
  await start(payer, '50')
  assert.deepEqual(codeOf(await payer.post('/payments', { amount: { amount: '50.01' } })), [
    429,
    'too_many_attempts',
  ])
  await start(payer, '5')
  await start(payer, '5')
  assert.deepEqual(codeOf(await payer.post('/payments', AMOUNT)), [409, 'conflict'])
  const { data } = (await payer.get('/payments')).body
  assert.equal(data.length, 3)
})

test('the bound before the first payment is 20 of the smallest, in any currency', async () => {
  await using yen = await startPayingConsole((config) => ({
    ...config,
    currency: 'JPY',
    payments: { ...config.payments!, top_up_min: 500, top_up_max: 10_000 },
  }))
  const payer = await yen.openPayer()
  await start(payer, '9500')
  const more = await payer.post('/payments', { amount: { amount: '501' } })
  assert.deepEqual(codeOf(more), [429, 'too_many_attempts'])
  assert.match(more.body.error.message, /10000\.00 JPY a day/)
})

test('a double click on the last payment that may be open names the one that it made', async () => {
  const payer = await console_.openPayer()
  await start(payer, '5')
  await start(payer, '5')
  // Both clicks are let in before either has started anything.
  const clicks = await console_.postgres.database.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('accounts')
      .select('id')
      .where('id', '=', payer.accountId)
      .forUpdate()
      .execute()
    const headers = { 'idempotency-key': 'dialog-3' }
    const asked = [1, 2].map(() => payer.post('/payments', { amount: { amount: '5' } }, headers))
    await untilSomeoneWaits(console_.postgres, 2)
    return asked
  })
  const answers = (await Promise.all(clicks)).map(codeOf)
  assert.deepEqual(new Set(answers.map(String)), new Set(['201,', '409,already_created']))
})

test('an account starts five payments an hour, in all its organizations', async () => {
  const payer = await console_.openPayer()
  for (let count = 0; count < 5; count += 1) {
    const { id } = await start(payer, '5')
    await payer.post(`/payments/${id}/cancel`)
  }
  assert.deepEqual(codeOf(await payer.post('/payments', AMOUNT)), [429, 'too_many_attempts'])
})

test('payments need a confirmed address, and the role admin or owner', async () => {
  const payer = await console_.openPayer('admin')
  await console_.postgres.database
    .updateTable('accounts')
    .set({ email_verified_at: null })
    .where('id', '=', payer.accountId)
    .execute()
  assert.deepEqual(codeOf(await payer.post('/payments', AMOUNT)), [403, 'role_required'])
  for (const role of ['viewer', 'member'] as const) {
    const other = await console_.openPayer(role)
    assert.deepEqual(codeOf(await other.post('/payments', AMOUNT)), [403, 'role_required'])
    assert.deepEqual(codeOf(await other.get('/payments')), [403, 'role_required'])
  }
})

test('keys and support see a payment without its page, which may show an address', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  const { organization, accountId: createdBy } = payer
  const place = { organizationId: organization.id, projectId: organization.projectId }
  const { database } = console_.postgres
  await THINGS['support-access']!(database, { ...place, ownerId: createdBy }, createdBy)
  const scopes = ['payments:read']
  const key = await console_.openManagementKey({ ...place, createdBy, scopes })
  const support = await console_.openPerson({ platformRole: 'support' })
  const urlsFor = async (as: Headers) => {
    const path = `/organizations/${organization.id}/payments`
    const list = await ask(console_.root, 'GET', path, { as })
    const shown = await ask(console_.root, 'GET', `${path}/${id}`, { as })
    assert.deepEqual([list.status, shown.status], [200, 200])
    return [list.body.data[0]!['url'], shown.body['url']] as (string | null)[]
  }
  assert.deepEqual(await urlsFor(key), [null, null])
  assert.deepEqual(await urlsFor(support.as), [null, null])
  for (const url of await urlsFor(payer.as)) assert.equal(url?.split('/pay/')[1], page)
})

test('a payment of another organization does not exist', async () => {
  const [mine, other] = [await console_.openPayer(), await console_.openPayer()]
  const { id } = await start(other)
  for (const asked of [mine.get(`/payments/${id}`), mine.post(`/payments/${id}/check`)])
    assert.deepEqual(codeOf(await asked), [404, 'not_found'])
})

test('without the settings there are no payments: no route, no webhook', async () => {
  await using without = await startConsole()
  const organization = await without.openOrganization()
  const { as } = await without.openPerson({ organizationId: organization.id, role: 'owner' })
  for (const path of ['/payments', '/payment-options'])
    assert.deepEqual(
      codeOf(await ask(without.root, 'GET', `/organizations/${organization.id}${path}`, { as })),
      [404, 'not_found'],
    )
  const hooks = await fetch(without.root.replace('/management/v1', '/hooks/stripe'), {
    method: 'POST',
    body: '{}',
  })
  assert.equal(hooks.status, 404)
})

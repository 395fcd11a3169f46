import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DAY_MS } from '../../src/lib/time.ts'
import { listFundsChanges } from '../../src/store/ledger/double-entry.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { countKeys } from '../../src/store/tenants/count-keys.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { addKeys, addTransfers, addUsage } from '../harness/seed/billing-rows.ts'
import { ask, startConsole, type TestConsole } from '../harness/processes/console.ts'
import { rowsRead } from '../harness/servers/rows-read.ts'
import { grantFunds, openKey } from '../harness/seed/tenants.ts'

let console_: TestConsole
/** Fills tables, which takes longer than a request may. */
let slow: Postgres

before(async () => {
  console_ = await startConsole((config) => ({
    ...config,
    console: { ...config.console, funding_help: 'Write to billing@example.com.' },
    plans: {
      ...config.plans,
      paid: {
        ...config.plans['ample']!,
        billing: 'prepaid',
        prices: { [config.models[0]!.id]: { input: 1, cached_input: 0.25, output: 4.5 } },
        models: [config.models[0]!.id],
      },
    },
  }))
  slow = openPostgres(console_.databaseUrl, { queryTimeoutMs: 60_000 })
})
after(async () => {
  await slow[Symbol.asyncDispose]()
  await console_[Symbol.asyncDispose]()
})

async function openMember(role: Role, plan = 'paid') {
  const organization = await console_.openOrganization(plan)
  const person = await console_.openPerson({ organizationId: organization.id, role })
  const path = `/organizations/${organization.id}`
  const get = (below: string) => ask(console_.root, 'GET', `${path}${below}`, { as: person.as })
  return { organization, ...person, path, get }
}

type Amount = { readonly amount: string; readonly amount_micro: number }

test('models of the plan have prices per million tokens, and others are not listed', async () => {
  const { get } = await openMember('member')
  const { status, body } = await get('/models')
  assert.equal(status, 200)
  const [model] = console_.config.models
  assert.deepEqual([body['plan'], body['billing']], ['paid', 'prepaid'])
  const prices = Object.entries(body.data[0]!['prices'] as Record<string, Amount>)
  assert.deepEqual(
    body.data.map((each) => [each.id, each['context_length'], each['shutdown_date']]),
    [[model!.id, model!.context_length ?? null, model!.shutdown_date]],
  )
  assert.deepEqual(
    prices.map(([name, { amount }]) => [name, amount]),
    [
      ['input', '1.00'],
      ['cached_input', '0.25'],
      ['output', '4.50'],
    ],
  )
})

test('a plan that is no longer offered has no models', async () => {
  const { get } = await openMember('member', 'gone')
  assert.deepEqual((await get('/models')).body.data, [])
  assert.deepEqual((await get('/overview')).body['plan'], {
    name: 'gone',
    offered: false,
    billing: null,
    limits: null,
    overridden: [],
    models: 0,
  })
})

test('the overview names the limits that were set for the organization alone', async () => {
  const { organization, get } = await openMember('viewer')
  await console_.postgres.database
    .updateTable('organizations')
    .set({ tokens_per_day: 77 })
    .where('id', '=', organization.id)
    .execute()
  const plan = (await get('/overview')).body['plan'] as Record<string, unknown>
  assert.deepEqual(plan['overridden'], ['tokens_per_day'])
  assert.equal((plan['limits'] as Record<string, number>)['tokens_per_day'], 77)
})

test('the balance has what was granted, spent, is held, and was spent this month', async () => {
  const { organization, get } = await openMember('viewer')
  await grantFunds(console_.postgres.database, organization.id, 50_000_000)
  const now = new Date()
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  await addUsage(console_.postgres.pool, organization, 3_000_000)
  await addUsage(console_.postgres.pool, organization, 1_000_000, monthMs - 1)
  const { funds } = organizationKeys(organization.id)
  const fields = ['spent', '4500000', 'reserved', '250000']
  await console_.environment.valkey.call('HSET', [funds, ...fields])
  const { body } = await get('/balance')
  const micro = (name: string) => (body[name] as Amount).amount_micro
  assert.deepEqual(
    ['granted', 'spent', 'balance', 'reserved', 'available', 'spent_this_month'].map(micro),
    [50_000_000, 4_000_000, 46_000_000, 250_000, 45_250_000, 3_000_000],
  )
  assert.deepEqual(body['spent_this_month'], {
    amount: '3.00',
    amount_micro: 3_000_000,
    currency: 'USD',
  })
  assert.equal(body['funding_help'], 'Write to billing@example.com.')
  const changed = (await console_.environment.valkey.call('HGETALL', [funds])) as string[]
  assert.deepEqual(changed, fields)
})

test('the forecast is this month plus its rest at the pace of the last 7 whole days', async () => {
  const { organization, get } = await openMember('viewer')
  const add = (cost: number, daysAgo: number) =>
    addUsage(console_.postgres.pool, organization, cost, Date.now() - daysAgo * DAY_MS)
  for (const daysAgo of [1, 7]) await add(700_000, daysAgo)
  // Neither today nor the eighth day counts for the pace.
  await add(9_000_000, 8)
  await add(5_000_000, 0)
  const { body } = await get('/balance')
  const forecast = body['forecast'] as { month: Amount; from_days: number }
  const now = new Date()
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  const rest = (1_400_000 / 7) * ((endMs - Date.now()) / DAY_MS)
  const spent = (body['spent_this_month'] as Amount).amount_micro
  assert.equal(forecast.from_days, 7)
  assert.ok(Math.abs(forecast.month.amount_micro - spent - rest) < 1_000)
})

test('without Valkey the ledger is shown, and what is held is not known', async () => {
  const { organization, as } = await openMember('owner')
  const { environment } = console_
  const { getBalance } = await import('../../src/platform/billing/get-balance.ts')
  const { identifyActor } = await import('../../src/platform/use-case/identify-actor.ts')
  const { readCookies, readSessionHash } = await import('../../src/platform/api/session-cookie.ts')
  const { ValkeyUnavailable } = await import('../../src/store/valkey/valkey.ts')
  const sessionHash = readSessionHash(readCookies(as['cookie']))
  const credentials = { authorization: undefined, sessionHash, keyPrefix: 'headrace' }
  const request = { id: 'test', idempotency: null }
  const actor = await identifyActor(environment, credentials, request)
  const call = () => Promise.reject(new ValkeyUnavailable('down'))
  const valkey = { ...environment.valkey, call }
  const balance = await getBalance({ ...environment, valkey }, actor, {
    organization: organization.id,
  })
  assert.deepEqual(
    [balance.reserved, balance.available, balance.granted.amount],
    [null, null, '0.00'],
  )
})

test('transfers are listed newest first in pages, and deducted ones are negative', async () => {
  const { organization, path, as, get } = await openMember('viewer')
  const { changeFunds } = await import('../../src/store/ledger/double-entry.ts')
  for (const [at, amount] of [5, -2, 7, -1, 3].entries())
    await changeFunds(console_.postgres.database, {
      organizationId: organization.id,
      amount: amount * 1_000_000,
      kind: amount > 0 ? 'grant' : 'adjustment',
      reference: `${organization.id}-${at}`,
      madeBy: 'billing',
      reason: `reason ${at}`,
    })
  const amounts: string[] = []
  let next = ''
  for (let pages = 0; pages < 4; pages += 1) {
    const { body } = await get(`/balance/transfers?limit=2${next}`)
    amounts.push(...body.data.map((each) => (each['amount'] as Amount).amount))
    if (body.next === null) break
    next = `&after=${body.next}`
  }
  assert.deepEqual(amounts, ['3.00', '-1.00', '7.00', '-2.00', '5.00'])
  const wrong = await ask(console_.root, 'GET', `${path}/balance/transfers?after=x`, { as })
  assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'after'])
})

test('a page of transfers reads at most one row of each side more than it returns', async () => {
  const organization = await console_.openOrganization('paid')
  const { pool } = slow
  await grantFunds(console_.postgres.database, organization.id, 1)
  await addTransfers(pool, organization.id, 2_000, true)
  // Newer ones of others must not be read either.
  const other = await console_.openOrganization('paid')
  await grantFunds(console_.postgres.database, other.id, 1)
  await addTransfers(pool, other.id, 40_000, false)
  const read = await rowsRead(console_.postgres, /^transfers/, (database) =>
    listFundsChanges(database, organization.id, { limit: 51 }),
  )
  assert.ok(read <= 53, `${read} rows`)
})

test('the overview counts at most 101 keys, whatever the organization has', async () => {
  const { organization, get } = await openMember('owner')
  await openKey(console_.postgres.database, organization.projectId)
  const seen = await get('/overview')
  assert.equal(seen.status, 200, seen.text)
  assert.deepEqual(seen.body['keys'], { count: 1, more: false })
  await addKeys(slow.pool, organization.projectId, { revoked: 20_000, working: 5_000 })
  assert.deepEqual((await get('/overview')).body['keys'], { count: 100, more: true })
  const read = await rowsRead(console_.postgres, /^api_keys/, (database) =>
    countKeys(database, { organizationId: organization.id }, 101),
  )
  assert.ok(read <= 101, `${read} rows`)
})

test('the keys of a member are counted up to a number, whatever the member has', async () => {
  const { organization, accountId } = await openMember('member')
  const { projectId } = organization
  // Most of the keys, and the newest: the index of all keys would come to them last.
  await addKeys(slow.pool, projectId, { revoked: 0, working: 1_000 })
  await addKeys(slow.pool, projectId, { revoked: 0, working: 50_000, of: accountId })
  const scope = { organizationId: organization.id, accountId }
  assert.equal(await countKeys(console_.postgres.database, scope, 101), 101)
  const read = await rowsRead(console_.postgres, /^api_keys/, (database) =>
    countKeys(database, scope, 101),
  )
  assert.ok(read <= 101, `${read} rows`)
})

test('the overview has usage and balance for those who may see them only', async () => {
  const { organization, get } = await openMember('admin')
  await addUsage(console_.postgres.pool, organization, 3_000_000)
  const seen = (await get('/overview')).body
  const usage = seen['usage'] as Record<'today' | 'this_month', Record<string, unknown>>
  assert.deepEqual(
    ['requests', 'prompt_tokens', 'cached_tokens', 'completion_tokens'].map(
      (name) => usage.today[name],
    ),
    [2, 100, 40, 20],
  )
  assert.equal((usage.this_month['cost'] as Amount).amount, '3.00')
  assert.equal((seen['balance'] as { spent: Amount }).spent.amount, '3.00')
  const member = await console_.openPerson({ organizationId: organization.id, role: 'member' })
  const path = `/organizations/${organization.id}/overview`
  const hidden = (await ask(console_.root, 'GET', path, { as: member.as })).body
  assert.deepEqual([hidden['usage'], hidden['speed'], hidden['balance']], [null, null, null])
  assert.deepEqual(hidden['keys'], { count: 0, more: false })
  const owner = await console_.openPerson({ organizationId: organization.id, role: 'owner' })
  const key = await console_.openManagementKey({
    createdBy: owner.accountId,
    organizationId: organization.id,
    scopes: ['organization:read', 'usage:read'],
  })
  const byKey = (await ask(console_.root, 'GET', path, { as: key })).body
  assert.notEqual(byKey['usage'], null)
  assert.deepEqual([byKey['balance'], byKey['keys']], [null, null])
})

test('members may not read the balance', async () => {
  const { get } = await openMember('member')
  for (const path of ['/balance', '/balance/transfers', '/credits']) {
    const { status, body } = await get(path)
    assert.deepEqual([status, body.error.code], [403, 'role_required'])
  }
})

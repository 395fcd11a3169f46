import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { sql } from 'kysely'
import { DAY_MS } from '../../src/lib/time.ts'
import { checkCurrency } from '../../src/store/ledger/currency.ts'
import { listReconciliations } from '../../src/store/ledger/list-reconciliations.ts'
import { readLedger, sumLedger } from '../../src/store/ledger/read-ledger.ts'
import { createAccount } from '../../src/store/tenants/accounts.ts'
import { partitionKeys } from '../../src/store/valkey/keys.ts'
import { ask, startConsole, type Person } from '../harness/processes/console.ts'
import {
  addLedgerAccounts,
  addReconciliations,
  addWaiting,
  unbalance,
} from '../harness/seed/operator-rows.ts'
import { rowsRead } from '../harness/servers/rows-read.ts'
import { grantFunds, openOrganization } from '../harness/seed/tenants.ts'
import { startValkey } from '../harness/servers/valkey.ts'

/** Nothing listens here. */
const GONE = 'http://127.0.0.1:1'

/** Of its own: the overview counts what all tests leave in a server. */
const server = await startValkey()
const console_ = await startConsole((config) => ({
  ...config,
  valkey_urls: [server.url],
  console: { ...config.console, api_health_urls: [GONE] },
}))
const operator = await console_.openPerson({ platformRole: 'operator' })
const support = await console_.openPerson({ platformRole: 'support' })
endWithFile(console_, server)

test('the ledger shows the accounts of the platform, and all accounts sum to zero', async () => {
  const organization = await console_.openOrganization()
  await grantFunds(console_.postgres.database, organization.id, 12_500_000)
  await checkCurrency(console_.postgres.pool, 'USD')
  await sumLedger(console_.postgres.pool)
  const answer = await ask(console_.root, 'GET', '/operator/ledger', { as: support.as })
  assert.equal(answer.status, 200, answer.text)
  type Account = { id: string; debits: { amount: string }; balance: { amount_micro: number } }
  const accounts = answer.body['accounts'] as Account[]
  assert.deepEqual(
    accounts.map(({ id }) => id),
    ['adjustments', 'grants', 'revenue'],
  )
  assert.equal(accounts[1]?.debits.amount, '12.50')
  assert.equal(accounts[1]?.balance.amount_micro, -12_500_000)
  assert.equal((answer.body['sum'] as { amount_micro: number }).amount_micro, 0)
})

test('the ledger is read without reading every account', async () => {
  const { database } = console_.postgres
  await addLedgerAccounts(database, 2_000)
  await sql`analyze ledger_accounts`.execute(database)
  assert.equal(await rowsRead(console_.postgres, /^ledger_accounts/, readLedger), 9)
})

test('reconciliations that differ are listed newest first, each once', async () => {
  await addReconciliations(console_.postgres.database, 2_000, (back) => back % 100 === 50)
  const seen: string[] = []
  let rest = ''
  do {
    const path = `/operator/reconciliations?differing=true&limit=7${rest}`
    const page = await ask(console_.root, 'GET', path, { as: support.as })
    assert.equal(page.status, 200, page.text)
    seen.push(...page.body.data.map((each) => String(each['hour'])))
    rest = page.body.next === null ? '' : `&after=${encodeURIComponent(page.body.next)}`
  } while (rest !== '')
  assert.equal(new Set(seen).size, 20)
  assert.deepEqual(seen, seen.toSorted().toReversed())
  const wrong = '/operator/reconciliations?after=yesterday'
  assert.equal(
    (await ask(console_.root, 'GET', wrong, { as: support.as })).body.error.param,
    'after',
  )
})

test('a page of reconciliations reads one row more than it shows', async () => {
  await addReconciliations(console_.postgres.database, 2_000, (back) => back % 100 === 50)
  const start = { hour: new Date(Date.now() - DAY_MS), source: 'usage_log', name: 'all' } as const
  for (const page of [
    { differing: false },
    { differing: true },
    { differing: true, after: start },
  ]) {
    const read = await rowsRead(console_.postgres, /^reconciliations/, (database) =>
      listReconciliations(database, { limit: 11, ...page }),
    )
    assert.equal(read, 11, JSON.stringify(page))
  }
})

test('the overview names admitted people who are in no organization', async () => {
  const { database } = console_.postgres
  const lonely = async () => {
    const { body } = await ask(console_.root, 'GET', '/operator/overview', { as: support.as })
    return body['without_organization'] as { count: number; newest: { id: string }[] }
  }
  const earlier = (await lonely()).count
  const made = { email: `${crypto.randomUUID()}@example.com`, registered: true } as const
  const { id } = await createAccount(database, { ...made, state: 'active' })
  assert.equal((await lonely()).count, earlier + 1)
  const { id: organizationId } = await openOrganization(database, 'ample')
  const membership = { organization_id: organizationId, account_id: id, role: 'member' } as const
  await database.insertInto('memberships').values(membership).execute()
  assert.equal((await lonely()).count, earlier)
  await database
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('account_id', '=', id)
    .execute()
  const { count, newest } = await lonely()
  assert.equal(count, earlier + 1)
  assert.ok(newest.some((account) => account.id === id))
})

test('the overview names what is wrong', async () => {
  await addReconciliations(console_.postgres.database, 100, () => false)
  const overview = async () => {
    const answer = await ask(console_.root, 'GET', '/operator/overview', { as: support.as })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const quiet = await overview()
  assert.deepEqual(quiet['problems'], ['process_unreachable'])
  assert.equal((quiet['engines'] as { known: boolean }).known, false)
  assert.deepEqual((quiet['processes'] as { unreachable: string[] }).unreachable, [GONE])
  await addReconciliations(console_.postgres.database, 2, (back) => back === 1)
  const { valkey } = console_.environment
  const { rejected } = partitionKeys(3)
  await valkey.call('XADD', [rejected, '*', 'record', '{}'])
  await unbalance(console_.postgres.database, 1)
  await checkCurrency(console_.postgres.pool, 'USD')
  await sumLedger(console_.postgres.pool)
  try {
    assert.deepEqual((await overview())['problems'], [
      'usage_rejected',
      'ledger_unbalanced',
      'reconciliation_differs',
      'process_unreachable',
    ])
  } finally {
    await valkey.call('DEL', [rejected])
    await unbalance(console_.postgres.database, -1)
    await sumLedger(console_.postgres.pool)
  }
})

test('the overview counts those who wait up to a bound', async () => {
  const { database } = console_.postgres
  const count = async () =>
    (await ask(console_.root, 'GET', '/operator/overview', { as: support.as })).body['waiting']
  await addWaiting(database, 1_000)
  assert.deepEqual(await count(), { count: 1000, more: false })
  await addWaiting(database, 1)
  assert.deepEqual(await count(), { count: 1000, more: true })
})

test('a management key of the platform works in its scope until it is revoked', async () => {
  const keys = '/operator/management-keys'
  const body = {
    name: 'reports',
    scopes: ['platform:read'],
    expires_at: new Date(Date.now() + DAY_MS).toISOString(),
  }
  const created = await ask(console_.root, 'POST', keys, { as: operator.as, body })
  assert.equal(created.status, 201, created.text)
  assert.match(created.body.key, /^headrace_mk_/)
  const as = { authorization: `Bearer ${created.body.key}` }
  assert.equal((await ask(console_.root, 'GET', '/operator/ledger', { as })).status, 200)
  const admit = { as, body: { ids: [crypto.randomUUID()] } }
  const refused = await ask(console_.root, 'POST', '/operator/accounts/admit', admit)
  assert.equal(refused.body.error.code, 'scope_required')
  const listed = await ask(console_.root, 'GET', keys, { as: operator.as })
  assert.equal(listed.body.data[0]?.id, created.body.id)
  assert.ok(!listed.text.includes(created.body.key))
  const path = `${keys}/${created.body.id}`
  assert.equal((await ask(console_.root, 'DELETE', path, { as: operator.as })).status, 204)
  assert.equal((await ask(console_.root, 'GET', '/operator/ledger', { as })).status, 401)
})

test('keys of the platform are made by operators who confirmed, never by keys', async () => {
  const keys = '/operator/management-keys'
  const until = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const body = { name: 'x', scopes: ['platform:write'], expires_at: until(1) }
  const post = (as: Person['as'], changed: object = {}) =>
    ask(console_.root, 'POST', keys, { as, body: { ...body, ...changed } })
  const stale = await console_.openPerson({ platformRole: 'operator', confirmed: false })
  assert.equal((await post(stale.as)).body.error.code, 'confirmation_required')
  assert.equal((await post(support.as)).body.error.code, 'role_required')
  const facts = { createdBy: operator.accountId, organizationId: null }
  const key = await console_.openManagementKey({ ...facts, scopes: ['platform:write'] })
  assert.equal((await post(key)).body.error.code, 'scope_required')
  for (const expires_at of [until(366), until(-1)])
    assert.equal((await post(operator.as, { expires_at })).body.error.param, 'expires_at')
  const unknown = await post(operator.as, { scopes: ['keys:read'] })
  assert.equal(unknown.status, 400)
})

test('a key of the platform ends with the role of its creator', async () => {
  const creator = await console_.openPerson({ platformRole: 'operator' })
  const facts = { createdBy: creator.accountId, organizationId: null }
  const as = await console_.openManagementKey({ ...facts, scopes: ['platform:read'] })
  assert.equal((await ask(console_.root, 'GET', '/operator/ledger', { as })).status, 200)
  const path = `/operator/accounts/${creator.accountId}`
  await ask(console_.root, 'PATCH', path, { as: operator.as, body: { platform_role: null } })
  assert.equal((await ask(console_.root, 'GET', '/operator/ledger', { as })).status, 403)
})

test('without Valkey the overview says so, and shows the rest', async () => {
  server.freeze()
  try {
    const { status, body } = await ask(console_.root, 'GET', '/operator/overview', support)
    assert.equal(status, 200)
    assert.equal(body['usage'], null)
    assert.equal((body['problems'] as string[])[0], 'usage_log_unreachable')
    assert.equal((body['ledger_sum'] as { amount: string }).amount, '0.00')
  } finally {
    server.thaw()
  }
})

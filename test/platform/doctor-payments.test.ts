// Each check of the group `payments` is made to fail once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { checkPayments } from '../../src/cli/doctor/check-payments.ts'
import { startTime } from '../../src/cli/doctor/run-checks.ts'
import type { Config } from '../../src/config/load.ts'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { startPayingConsole, type PayingConsole } from '../harness/payments/paying-console.ts'
import { LAST_MONTH, spendLastMonth } from '../harness/payments/invoices.ts'
import { startConsole } from '../harness/processes/console.ts'
import { addUsage } from '../harness/seed/billing-rows.ts'
import { invoiceRules } from '../../src/start/payments/invoice-rules.ts'
import { issueStatements } from '../../src/store/ledger/issue-statements.ts'
import { DAY_QUERY } from '../harness/seed/provider-day.ts'
import { agePoll, forgetPoll } from '../harness/seed/poll-state.ts'

let console_: PayingConsole
let config: Config

before(async () => {
  console_ = await startPayingConsole()
  const publicUrl = console_.root.replace('/management/v1', '')
  config = {
    ...console_.config,
    database_url: console_.databaseUrl,
    console: { ...console_.config.console, public_url: publicUrl },
  }
  const { database } = console_.postgres
  await forgetPoll(database)
  await pollEvents(console_.environment)
})
after(async () => console_[Symbol.asyncDispose]())

const EVENT = { type: 'invoice.paid', about: 'payment', ref: 'in_none', source: 'poll' } as const

async function examine(changes: Partial<Config> = {}) {
  const results = await checkPayments({ ...config, ...changes }, startTime(20_000))
  return Object.fromEntries(results.map((result) => [result.check, result]))
}

async function verdictOf(check: string, changes: Partial<Config> = {}) {
  const result = (await examine(changes))[check]!
  if (result.verdict !== 'ok') assert.ok(result.hint, `${check} has a hint`)
  return result.verdict
}

/** A provider that says this of the account. */
async function startAccount(account: object, status = 200, aheadMs = 0) {
  const server = createServer((request, response) => {
    const body = request.url === '/v1/balance' ? { livemode: false } : account
    const date = new Date(Date.now() + aheadMs).toUTCString()
    response.writeHead(status, { 'content-type': 'application/json', date })
    response.end(JSON.stringify(status === 200 ? body : { error: { message: 'no' } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    payments: { ...config.payments!, api_url: `http://127.0.0.1:${port}` },
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const ACCOUNT = { id: 'acct_scripted', charges_enabled: true, default_currency: 'usd' }

test('everything is in order', async () => {
  const results = Object.values(await examine())
  assert.deepEqual(
    results.filter(({ verdict }) => verdict !== 'ok'),
    [],
  )
  assert.equal(results.length, 12)
})

test('a refused key, and one with all rights', async () => {
  using refusing = await startAccount({}, 401)
  const results = await examine({ payments: refusing.payments })
  assert.match(results['key']!.found, /refused/)
  assert.equal(results['charges']!.verdict, 'not_checked')
  assert.equal(await verdictOf('key', { stripe_key: 'sk_test_scripted' }), 'warning')
})

test('another account than that of the ledger', async () => {
  using other = await startAccount({ ...ACCOUNT, id: 'acct_other' })
  assert.equal(await verdictOf('account', { payments: other.payments }), 'failed')
})

test('an account that cannot take payments, or settles in another currency', async () => {
  using strange = await startAccount({
    ...ACCOUNT,
    charges_enabled: false,
    default_currency: 'eur',
  })
  const { payments } = strange
  assert.equal(await verdictOf('charges', { payments }), 'failed')
  assert.equal(await verdictOf('currency', { payments }), 'warning')
})

test('tax that the provider shall calculate and is not set up for', async () => {
  for (const [status, verdict] of [
    ['pending', 'warning'],
    ['active', 'ok'],
  ]) {
    using account = await startAccount({ ...ACCOUNT, status })
    const payments = { ...account.payments, tax: 'provider' } as const
    assert.equal(await verdictOf('tax', { payments }), verdict, status)
  }
  using silent = await startAccount(ACCOUNT)
  const payments = { ...silent.payments, tax: 'provider' } as const
  assert.equal(await verdictOf('tax', { payments }), 'not_checked')
})

test('a clock that is two minutes wrong', async () => {
  using ahead = await startAccount(ACCOUNT, 200, 120_000)
  assert.equal(await verdictOf('clock', { payments: ahead.payments }), 'failed')
})

test('an address that redirects, does not answer, or is not https', async () => {
  const redirecting = createServer((_request, response) => {
    response.writeHead(307, { location: '/sign-in' }).end()
  })
  await once(redirecting.listen(0, '127.0.0.1'), 'listening')
  const { port } = redirecting.address() as AddressInfo
  const at = (publicUrl: string) => ({ console: { ...config.console, public_url: publicUrl } })
  const local = at(`http://127.0.0.1:${port}`)
  const redirected = await examine(local)
  redirecting.closeAllConnections()
  redirecting.close()
  assert.match(redirected['webhook address']!.found, /answers 307/)
  assert.equal(await verdictOf('webhook address', local), 'failed')
  assert.equal(await verdictOf('webhook address', at('http://pay.example.com')), 'failed')
})

test('webhooks that do not arrive, a poll that is old, and payments to decide', async () => {
  const { database } = console_.postgres
  for (let count = 0; count < 6; count += 1)
    await database
      .insertInto('provider_events')
      .values({ id: `evt_${count}`, ...EVENT })
      .execute()
  assert.equal(await verdictOf('last webhook'), 'warning')
  await agePoll(database)
  assert.equal(await verdictOf('last poll'), 'failed')
  const payer = await console_.openPayer()
  await payer.post('/payments', { amount: { amount: '25.00' } })
  await database.updateTable('payments').set({ state: 'attention', next_at: null }).execute()
  assert.equal(await verdictOf('attention'), 'warning')
})

test('books that were not compared for a week, and books that differ', async () => {
  const { database, pool } = console_.postgres
  await pool.query('delete from provider_days')
  await database.updateTable('payments').set({ next_at: null }).execute()
  await pool.query(`update payments set created_at = now() - interval '4 days'`)
  assert.equal(await verdictOf('books'), 'ok')
  await pool.query(`update payments set created_at = now() - interval '5 days'`)
  assert.equal(await verdictOf('books'), 'failed')
  await pool.query(DAY_QUERY, [3, 0])
  assert.equal(await verdictOf('books'), 'ok')
  await pool.query(DAY_QUERY, [4, 12_500_000])
  const { books } = await examine()
  assert.deepEqual([books!.verdict, /differ by 12\.50 USD/.test(books!.found)], ['failed', true])
})

test('debts from before the first invoice, of which nobody may know', async () => {
  const { pool } = console_.postgres
  const later = { ...config.plans['ample']!, billing: 'postpaid' } as const
  const plans = { ...config.plans, later }
  const organization = await console_.openOrganization()
  await pool.query(`update organizations set plan = 'later' where id = $1`, [organization.id])
  await addUsage(pool, organization, 80_000_000)
  assert.equal(await verdictOf('first invoices', { plans }), 'ok', 'of the running month')
  await addUsage(pool, organization, 12_500_000, Date.now() - 31 * 86_400_000)
  const { 'first invoices': found } = await examine({ plans })
  assert.deepEqual([found!.verdict, /^1 .* owes 12\.50 USD/.test(found!.found)], ['warning', true])
  await spendLastMonth(pool, organization, 1)
  const rules = invoiceRules({ ...config, plans })
  await issueStatements(pool, `${LAST_MONTH}-01`, 100, rules)
  assert.equal(await verdictOf('first invoices', { plans }), 'ok', 'there is an invoice')
})

test('without payments there is no group, and without the key one line', async () => {
  await using without = await startConsole()
  assert.deepEqual(await checkPayments(without.config, startTime(20_000)), [])
  const { stripe_key: _key, ...keyless } = config
  const results = await checkPayments(keyless, startTime(20_000))
  assert.deepEqual(
    results.map(({ check, verdict }) => [check, verdict]),
    [['key', 'not_checked']],
  )
})

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { daysOf, postedFees } from '../harness/payments/book-days.ts'
import { controlOf, type ProviderControl } from '../harness/payments/provider-client.ts'
import { startScriptedProvider } from '../harness/payments/scripted-provider.ts'
import { ask, openPerson, PUBLIC_URL } from '../harness/processes/console.ts'
import { openOrganization } from '../harness/seed/tenants.ts'

const PAYMENTS = 3
/** So many days can be compared of the money that moved so long ago: 5, 4 and 3 days ago. */
const [AGE_DAYS, DUE] = [5, 3]
const PATIENCE_MS = 60_000

async function payAll(environment: Environment, root: string, control: ProviderControl) {
  const { id } = await openOrganization(environment.postgres.database, 'ample')
  const { as } = await openPerson(environment.postgres, { organizationId: id, role: 'owner' })
  const path = `/organizations/${id}/payments`
  for (let made = 0; made < PAYMENTS; made += 1) {
    const { body } = await ask(root, 'POST', path, { as, body: { amount: { amount: '10.00' } } })
    await control.complete(String(body['url']).split('/pay/')[1]!)
    const isCredited = async () =>
      (await ask(root, 'POST', `${path}/${body['id']}/check`, { as })).body['state'] === 'succeeded'
    await waitUntil('the payment', isCredited, PATIENCE_MS)
  }
  await environment.postgres.pool.query(
    `update payments set created_at = created_at - $1 * interval '1 day'`,
    [AGE_DAYS],
  )
  await control.ageMoney(AGE_DAYS)
}

test('a console killed before its commit leaves no fee, and others post each once', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'books-'))
  stack.defer(async () => rm(folder, { recursive: true }))
  const provider = stack.use(await startScriptedProvider({ journal: join(folder, 'journal') }))
  const control = controlOf(provider.url)
  const environment = stack.use(
    await startEnvironment({
      engines: [],
      sections: {
        models: [],
        console: { port: 0, health_port: 0, public_url: PUBLIC_URL },
        payments: { provider: 'stripe', api_url: provider.url, page_hosts: ['127.0.0.1'] },
      },
      environment: {
        HEADRACE_STRIPE_KEY: 'rk_test_0123456789abcdef',
        HEADRACE_STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
      },
    }),
  )
  const { pool, database } = environment.postgres
  const one = await environment.startConsole()
  await payAll(environment, one.apiRoot, control)
  await one.kill()
  const holder = await pool.connect()
  await holder.query(`begin; select from ledger_accounts where id = 'fees' for update`)
  await one.start()
  const isWaiting = async () =>
    (
      await pool.query(
        `select from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and query like '%ledger_accounts%'`,
      )
    ).rowCount === 1
  await waitUntil('a console to post fees', isWaiting, PATIENCE_MS)
  await one.kill()
  await holder.query('rollback')
  holder.release()
  const lines = await pool.query('select from provider_lines')
  assert.equal(lines.rowCount, PAYMENTS, 'it had listed them')
  assert.deepEqual(await daysOf(environment), [])
  assert.equal((await postedFees(environment)).transfers, 0)
  // Time passes until somebody else may compare.
  await pool.query(`update provider_cursors set leased_until = null where name = 'money'`)
  await Promise.all([one.start(), environment.startConsole()])
  const isCompared = async () => (await daysOf(environment)).length === DUE
  await waitUntil('all days to be compared', isCompared, PATIENCE_MS)
  const { fees, held } = await control.sums()
  const posted = { cents: fees, held: held - fees, transfers: PAYMENTS }
  assert.deepEqual(await postedFees(environment), posted)
  for (const day of await daysOf(environment)) assert.equal(day.difference, 0)
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEnvironment } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startScriptedProvider } from '../harness/payments/scripted-provider.ts'

const TIMEOUT_MS = 60_000

test('a console whose key is of another account or mode than the ledger ends with 78', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'account-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => rm(folder, { recursive: true }))
  const provider = stack.use(await startScriptedProvider({ journal: join(folder, 'journal') }))
  const environment = stack.use(
    await startEnvironment({
      engines: [],
      sections: {
        models: [],
        console: { port: 0, health_port: 0 },
        payments: { provider: 'stripe', page_hosts: ['127.0.0.1'], api_url: provider.url },
      },
      environment: {
        HEADRACE_STRIPE_KEY: 'rk_test_0123456789abcdef',
        HEADRACE_STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
      },
    }),
  )
  const { pool } = environment.postgres
  const console_ = await environment.startConsole()
  const isKept = async () =>
    (await pool.query('select from books where provider_account is not null')).rowCount === 1
  await waitUntil('the account to be stored', isKept, TIMEOUT_MS)
  assert.ok(console_.isRunning())
  for (const change of [
    `provider_account = 'acct_other'`,
    `provider_account = 'acct_scripted', provider_live = not provider_live`,
  ]) {
    await console_.kill()
    await pool.query(`update books set ${change}`)
    await console_.start()
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    if (console_.isRunning()) await once(console_.child, 'exit', { signal })
    assert.equal(console_.child.exitCode, 78, change)
  }
})

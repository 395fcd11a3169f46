import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createCommands } from '../harness/processes/command.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { startProcess } from '../harness/processes/process.ts'

const EXIT_CODE = 78
/** A busy machine is no failure. */
const TIMEOUT_MS = 120_000
const PERIOD = ['--from', '2026-05-01', '--to', '2026-05-02']

const folder = await mkdtemp(join(tmpdir(), 'headrace-currency-'))
const euros = join(folder, 'euros.yaml')
const limits = ['requests_per_minute', 'requests_per_day', 'tokens_per_minute', 'tokens_per_day']
const plan = { models: 'all', limits: Object.fromEntries(limits.map((name) => [name, 10])) }
const settings = { engines: [], models: [], plans: { free: plan }, default_plan: 'free' }
const worker = { health_port: 0 }
await writeFile(euros, JSON.stringify({ ...settings, worker, currency: 'EUR' }))
const commands = await createCommands()
await commands.answer('migrate')
await commands.answer('organization', 'create', 'acme')
await commands.answer('balance', 'grant', 'acme', '10', '--reason', 'paid')

after(async () => {
  await commands[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const WITH_AMOUNTS = [
  ['migrate'],
  ['balance', 'show', 'acme'],
  ['balance', 'history', 'acme'],
  ['balance', 'grant', 'acme', '5', '--reason', 'paid'],
  ['balance', 'adjust', 'acme', '5', '--reason', 'wrong'],
  ['usage', 'show', 'acme', ...PERIOD],
  ['usage', 'export', ...PERIOD],
  ['project', 'change', 'default', '--organization', 'acme', '--spending-limit', '5'],
]

test('commands that show or change amounts refuse another currency', async () => {
  await Promise.all(
    WITH_AMOUNTS.map(async (args) => {
      const { code, stdout, stderr } = await commands.run(args, { HEADRACE_CONFIG: euros })
      assert.deepEqual([code, stdout], [EXIT_CODE, ''], args.join(' '))
      assert.match(stderr, /kept in USD.*currency: USD/)
    }),
  )
})

test('commands without amounts still work', async () => {
  const { code } = await commands.run(['organization', 'show', 'acme'], { HEADRACE_CONFIG: euros })
  assert.equal(code, 0)
})

test('the balance is still in the currency it was granted in', async () => {
  const { currency, balance } = await commands.answer('balance', 'show', 'acme')
  assert.deepEqual([currency, balance], ['USD', '10.00'])
})

for (const command of ['api', 'worker'] as const) {
  test(`headrace ${command} refuses to start with another currency`, async () => {
    const { databaseUrl, valkeyUrl } = commands
    const options = { databaseUrl, valkeyUrls: [valkeyUrl], file: euros }
    await assert.rejects(async () => {
      await using _process = await startProcess(command, options)
    }, /exited early: 78/)
  })
}

test('an api that started without PostgreSQL ends when it finds another currency', async () => {
  await using postgres = await startPostgres()
  const own = { HEADRACE_DATABASE_URL: postgres.url }
  assert.equal((await commands.run(['migrate'], own)).code, 0)
  await postgres.stop()
  const options = { databaseUrl: postgres.url, valkeyUrls: [commands.valkeyUrl], file: euros }
  await using api = await startProcess('api', { ...options, onLog: () => {} })
  const exited = once(api.child, 'exit', { signal: AbortSignal.timeout(TIMEOUT_MS) })
  await postgres.start()
  assert.deepEqual(await exited, [EXIT_CODE, null])
})

test('the first process writes the currency, and one before the migration starts', async () => {
  await using postgres = await startPostgres({ migrated: false })
  const options = { databaseUrl: postgres.url, valkeyUrls: [commands.valkeyUrl], file: euros }
  await using api = await startProcess('api', { ...options, onLog: () => {} })
  assert.ok(api.isRunning())
  const own = { HEADRACE_DATABASE_URL: postgres.url, HEADRACE_CONFIG: euros }
  assert.equal((await commands.run(['migrate'], own)).code, 0)
  const { HEADRACE_CONFIG: _euros, ...dollars } = own
  assert.equal((await commands.run(['migrate'], dollars)).code, EXIT_CODE)
})

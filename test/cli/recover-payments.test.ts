import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openPaid, pay } from '../harness/payments/paid.ts'
import { WEBHOOK_SECRET } from '../harness/payments/payment-settings.ts'
import { startPayingConsole, type PayingConsole } from '../harness/payments/paying-console.ts'
import { centsOf, SINCE } from '../harness/payments/restores.ts'
import { createCommands, type Commands } from '../harness/processes/command.ts'
import { takeSnapshot } from '../harness/servers/snapshot.ts'

let console_: PayingConsole
let commands: Commands
let folder: string

before(async () => {
  console_ = await startPayingConsole()
  commands = await createCommands()
  folder = await mkdtemp(join(tmpdir(), 'recover-payments-'))
  const limits =
    '{ requests_per_minute: 1, requests_per_day: 1, tokens_per_minute: 1, tokens_per_day: 1 }'
  await writeFile(
    join(folder, 'headrace.yaml'),
    [
      'engines: []',
      'models: []',
      `plans: { ample: { models: all, credentials: [api_key], limits: ${limits} } }`,
      'default_plan: ample',
      `payments: { provider: stripe, api_url: '${console_.control.url}' }`,
    ].join('\n'),
  )
})
after(async () => {
  await rm(folder, { recursive: true })
  await commands[Symbol.asyncDispose]()
  await console_[Symbol.asyncDispose]()
})

/** As somebody with a shell on the console's machine runs it. */
async function run(...args: string[]) {
  return commands.run(['recover', 'payments', '--since', SINCE.toISOString(), ...args], {
    HEADRACE_CONFIG: join(folder, 'headrace.yaml'),
    HEADRACE_DATABASE_URL: console_.databaseUrl,
    HEADRACE_STRIPE_KEY: 'rk_test_scripted',
    HEADRACE_STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
  })
}

async function hasRow(id: string): Promise<boolean> {
  const row = console_.postgres.database.selectFrom('payments').select('id').where('id', '=', id)
  return (await row.executeTakeFirst()) !== undefined
}

test('it credits what a restore has lost, and its author is in the audit log', async () => {
  const payer = await console_.openPayer()
  const { restore } = await takeSnapshot(console_.databaseUrl)
  const { id } = await pay(console_, payer, '13.00')
  await restore()
  const read = async (...args: string[]) => {
    const { code, stdout, stderr } = await run('--json', '--by', 'night shift', ...args)
    assert.equal(code, 0, stderr)
    const { dry_run: isDry, payments } = JSON.parse(stdout) as {
      dry_run: boolean
      payments: { payment: string; net: string; state: string; done: string }[]
    }
    const rows = payments.map((each) => [each.payment, each.net, each.state, each.done])
    return { isDry, rows }
  }
  assert.deepEqual(await read('--dry-run'), {
    isDry: true,
    rows: [[id, '13.00', 'paid', 'to_credit']],
  })
  assert.deepEqual([await hasRow(id), await centsOf(console_, payer)], [false, 0])
  assert.deepEqual(await read(), { isDry: false, rows: [[id, '13.00', 'succeeded', 'credited']] })
  assert.deepEqual(await read(), { isDry: false, rows: [] })
  assert.equal(await centsOf(console_, payer), 1300)
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'actor_label'])
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ action, actor_kind: kind, actor_label: label }) => [action, kind, label]),
    [
      ['payment.adopt', 'operator_shell', 'night shift'],
      ['payment.succeed', 'system', 'payments'],
    ],
  )
})

test('a payment of an organization that was lost too is reported, not credited', async () => {
  const { restore } = await takeSnapshot(console_.databaseUrl)
  const payer = await openPaid(console_, '12.00')
  await restore()
  const { code, stdout, stderr } = await run()
  assert.equal(code, 1, stderr)
  const [heading, line] = stdout.split('\n').map((each) => each.split(/\s+/))
  assert.deepEqual(heading?.slice(0, 2), ['payment', 'organization'])
  const { id: organization } = payer.organization
  const facts = ['page', '12.00', 'USD', 'paid', 'unknown_organization']
  assert.deepEqual(line, [payer.id, organization, ...facts])
  assert.match(stderr, /1 left: docs\/operating\/payments\.md/)
  assert.equal(await hasRow(payer.id), false)
})

test('without payments in the configuration, or without a time, it says so', async () => {
  const since = ['--since', SINCE.toISOString()]
  const without = await commands.run(['recover', 'payments', ...since])
  assert.deepEqual([without.code, without.stdout], [1, ''])
  assert.match(without.stderr, /the configuration has no payments/)
  assert.match((await commands.run(['recover', 'payments'])).stderr, /--since/)
  const future = await run('--since', '2999-01-01')
  assert.match(future.stderr, /must be a UTC time in the past/i)
})

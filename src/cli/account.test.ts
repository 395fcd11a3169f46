import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createCommands } from '../../test/harness/processes/command.ts'
import { createSession, listSessions } from '../store/sign-in/sessions.ts'
import { openPostgres } from '../store/postgres/postgres.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })

endWithFile(postgres, commands)

const LINK = /^http:\/\/localhost:8081\/reset#token=([\w-]{43})$/

async function tokenOf(link: unknown) {
  const [, token = ''] = LINK.exec(String(link)) ?? []
  return postgres.database
    .selectFrom('mail_tokens')
    .selectAll()
    .where('hash', '=', createHash('sha256').update(token).digest())
    .executeTakeFirstOrThrow()
}

test('the first operator gets a link for a day, of which only the hash is stored', async () => {
  const made = await commands.answer('account', 'create', 'you@example.com', '--operator')
  const token = await tokenOf(made['link'])
  assert.equal(token.kind, 'reset')
  const hours = (token.ends_at.getTime() - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours <= 24)
  const account = await postgres.database
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', token.account_id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([account.email, account.platform_role], ['you@example.com', 'operator'])
  const passwords = await postgres.database.selectFrom('passwords').selectAll().execute()
  assert.deepEqual(passwords, [])
  const another = await commands.answer('account', 'reset-link', 'you@example.com')
  assert.equal((await tokenOf(another['link'])).account_id, account.id)
  const events = await postgres.database.selectFrom('audit_events').selectAll().execute()
  assert.deepEqual(
    events.map(({ action, actor_kind }) => [action, actor_kind]),
    [
      ['account.create_operator', 'operator_shell'],
      ['password.create_link', 'operator_shell'],
    ],
  )
  assert.ok(!JSON.stringify(events).includes(String(made['link']).split('=')[1] ?? 'x'))
})

test('an address outside ASCII gets no account, also from the shell', async () => {
  for (const options of [[], ['--operator']]) {
    const { code, stderr } = await commands.run([
      'account',
      'create',
      'bİb@example.com',
      ...options,
    ])
    assert.equal(code, 1)
    assert.match(stderr, /must be one email address/)
  }
})

test('there is no link for an account that does not exist', async () => {
  const { code, stderr } = await commands.run(['account', 'reset-link', 'nobody@example.com'])
  assert.equal(code, 1)
  assert.match(stderr, /not found/)
})

test('the waiting list is shown and admitted from the shell, with a note', async () => {
  for (const name of ['first', 'second'])
    await commands.answer('account', 'create', `${name}@example.com`, '--state', 'waiting')
  const list = async () => {
    const { stdout } = await commands.run(['account', 'list', '--state', 'waiting', '--json'])
    return (JSON.parse(stdout) as { email: string }[]).map(({ email }) => email)
  }
  assert.deepEqual(await list(), ['first@example.com', 'second@example.com'])
  const admit = ['account', 'admit', 'first@example.com', '--note', 'pilot', '--by', 'ada']
  const admitted = await commands.run(admit)
  assert.equal(admitted.code, 0, admitted.stderr)
  assert.deepEqual(await list(), ['second@example.com'])
  const again = await commands.run(admit)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /not on the waiting list/)
  const event = await postgres.database
    .selectFrom('audit_events')
    .select(['actor_label', 'changes', 'target_label'])
    .where('action', '=', 'account.admit')
    .executeTakeFirstOrThrow()
  assert.deepEqual([event.actor_label, event.target_label], ['ada', 'first@example.com'])
  assert.deepEqual(event.changes['note'], [null, 'pilot'])
})

test('restricting an account from the shell ends its sessions', async () => {
  await commands.answer('account', 'create', 'third@example.com')
  const { id } = await commands.answer('account', 'show', 'third@example.com')
  const accountId = String(id)
  await createSession(postgres.database, {
    accountId,
    tokenHash: Buffer.alloc(32, 1),
    endsAt: new Date(Date.now() + 3_600_000),
    idleMinutes: 60,
    methods: ['password'],
    incomplete: false,
    userAgent: null,
    addressPrefix: '127.0.0.0/24',
  })
  await commands.answer('account', 'change', 'third@example.com', '--state', 'restricted')
  const rows = await listSessions(postgres.database, accountId, { limit: 10 })
  assert.deepEqual(rows, [])
})

test('the shell resets lost factors and gives a platform role to an existing account', async () => {
  const email = 'fourth@example.com'
  const { id } = await commands.answer('account', 'create', email)
  const account_id = String(id)
  const { database } = postgres
  const factor = { account_id, sealed: Buffer.alloc(40), confirmed_at: new Date() }
  await database.insertInto('one_time_factors').values(factor).execute()
  const reset = await commands.answer('account', 'reset-factors', email, '--by', 'ada')
  assert.deepEqual([reset['app_removed'], reset['passkeys_removed']], [true, 0])
  assert.deepEqual(await database.selectFrom('one_time_factors').selectAll().execute(), [])
  for (const role of ['operator', 'support', 'none']) {
    const changed = await commands.answer('account', 'change', email, '--platform-role', role)
    assert.equal(changed['platform_role'], role === 'none' ? null : role)
  }
  const events = await database
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'changes'])
    .where('target_id', '=', account_id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.slice(1).map(({ action, changes }) => [action, changes['platform_role']?.[1]]),
    [
      ['account.reset_factors', undefined],
      ['account.change', 'operator'],
      ['account.change', 'support'],
      ['account.change', null],
    ],
  )
})

test('the fingerprint of the configuration is printed', async () => {
  const { code, stdout } = await commands.run(['config', 'fingerprint'])
  assert.equal(code, 0)
  assert.match(stdout, /^[0-9a-f]{64}\n$/)
})

test('an empty list says none beside its table, and is [] as JSON', async () => {
  const args = ['account', 'list', '--after', 'ffffffff-ffff-7fff-bfff-ffffffffffff']
  const { code, stdout, stderr } = await commands.run(args)
  assert.deepEqual([code, stdout, stderr], [0, 'id  email  state  registered_at\n', 'none\n'])
  const json = await commands.run([...args, '--json'])
  assert.deepEqual([json.stdout, json.stderr], ['[]\n', ''])
})

test('an account is deleted only with --yes, by whoever is named, and is gone then', async () => {
  await commands.answer('account', 'create', 'leaving@example.com')
  const unconfirmed = await commands.run(['account', 'delete', 'leaving@example.com'])
  assert.equal(unconfirmed.code, 1)
  assert.match(unconfirmed.stderr, /confirm with --yes/)
  const asked = ['account', 'delete', 'leaving@example.com', '--yes', '--by', 'ada']
  const deleted = await commands.answer(...asked)
  assert.equal(deleted['deleted'], true)
  const again = await commands.run(asked)
  assert.match(again.stderr, /not found/)
  const event = await postgres.database
    .selectFrom('audit_events')
    .select(['actor_label', 'target_id'])
    .where('action', '=', 'account.delete')
    .executeTakeFirstOrThrow()
  assert.deepEqual(event, { actor_label: 'ada', target_id: deleted['id'] })
})

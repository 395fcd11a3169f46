import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createCommands, type Commands } from '../../test/harness/command.ts'
import { createSession, listSessions } from '../store/sign-in/sessions.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'

let commands: Commands
let postgres: Postgres

before(async () => {
  commands = await createCommands()
  postgres = openPostgres(commands.databaseUrl)
})

after(async () => {
  await postgres[Symbol.asyncDispose]()
  await commands[Symbol.asyncDispose]()
})

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
    addressPrefix: null,
  })
  await commands.answer('account', 'change', 'third@example.com', '--state', 'restricted')
  const rows = await listSessions(postgres.database, accountId, { limit: 10 })
  assert.deepEqual(rows, [])
})

test('the fingerprint of the configuration is printed', async () => {
  const { code, stdout } = await commands.run(['config', 'fingerprint'])
  assert.equal(code, 0)
  assert.match(stdout, /^[0-9a-f]{64}\n$/)
})

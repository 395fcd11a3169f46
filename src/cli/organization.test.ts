import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createCommands } from '../../test/harness/processes/command.ts'
import { openPostgres } from '../store/postgres/postgres.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })

endWithFile(postgres, commands)

test('sign-in --no-sso-only lifts the rule, prints it and leaves an audit event', async () => {
  const { id } = await commands.answer('organization', 'create', 'acme')
  await postgres.database
    .updateTable('organizations')
    .set({ sso_only: true, second_factor_required: true })
    .execute()
  const { code, stderr } = await commands.run(['organization', 'sign-in', 'acme'])
  assert.equal(code, 1)
  assert.match(stderr, /nothing to change/)
  const lift = ['organization', 'sign-in', 'acme', '--no-sso-only', '--by', 'Olga'] as const
  const lifted = await commands.answer(...lift)
  assert.deepEqual(lifted, { organization: 'acme', sso_only_before: true, sso_only: false })
  const row = await postgres.database
    .selectFrom('organizations')
    .select(['sso_only', 'second_factor_required'])
    .executeTakeFirstOrThrow()
  assert.deepEqual(row, { sso_only: false, second_factor_required: true })
  const event = await postgres.database
    .selectFrom('audit_events')
    .select(['organization_id', 'actor_label', 'changes'])
    .where('action', '=', 'sign_in_rules.set')
    .executeTakeFirstOrThrow()
  assert.deepEqual(event, {
    organization_id: id,
    actor_label: 'Olga',
    changes: { sso_only: [true, false] },
  })
})

test('sign-in --any-network lets calls in from anywhere, and leaves an audit event', async () => {
  const created = await commands.answer('organization', 'create', 'behind-walls')
  const id = String(created['id'])
  const { database } = postgres
  const allowed_networks = ['192.0.2.0/24']
  await database
    .updateTable('organizations')
    .set({ allowed_networks })
    .where('id', '=', id)
    .execute()
  const lift = ['organization', 'sign-in', 'behind-walls', '--any-network', '--by', 'Olga'] as const
  const lifted = await commands.answer(...lift)
  assert.deepEqual(lifted, {
    organization: 'behind-walls',
    allowed_networks_before: '192.0.2.0/24',
  })
  const event = await database
    .selectFrom('audit_events')
    .select(['organization_id', 'actor_label', 'changes'])
    .where('action', '=', 'allowed_networks.set')
    .executeTakeFirstOrThrow()
  assert.deepEqual(event, {
    organization_id: id,
    actor_label: 'Olga',
    changes: { networks: [['192.0.2.0/24'], []] },
  })
})

test('change --credit-limit needs a reason, and shows what is in force', async () => {
  const { id } = await commands.answer('organization', 'create', 'later')
  const change = ['organization', 'change', 'later', '--credit-limit'] as const
  const unexplained = await commands.run([...change, '500'])
  assert.equal(unexplained.code, 1)
  assert.match(unexplained.stderr, /--credit-limit and --reason require each other/)
  const wrong = await commands.run([...change, '-5', '--reason', 'x'])
  assert.match(wrong.stderr, /Must be an amount such as 50 or 12\.50, or none/)
  const by = ['--reason', 'contract 12', '--by', 'Olga'] as const
  const limited = await commands.answer(...change, '500', ...by, '--name', 'Later Ltd')
  assert.deepEqual([limited['credit_limit'], limited['name']], ['500.00', 'Later Ltd'])
  const balance = await commands.answer('balance', 'show', 'later')
  assert.deepEqual([balance['credit_limit'], balance['credit_used']], ['500.00', '0.00'])
  assert.equal((await commands.answer(...change, 'none', ...by))['credit_limit'], null)
  const events = await postgres.database
    .selectFrom('audit_events')
    .select(['actor_label', 'changes'])
    .where('action', '=', 'credit_limit.set')
    .where('organization_id', '=', String(id))
    .execute()
  assert.equal(events.length, 2)
  assert.deepEqual(
    [events[0]?.actor_label, events[0]?.changes['reason']],
    ['Olga', [null, 'contract 12']],
  )
})

test('an organization is deleted only with --yes, and its slug is free again', async () => {
  const made = await commands.answer('organization', 'create', 'leaving')
  const unconfirmed = await commands.run(['organization', 'delete', 'leaving'])
  assert.equal(unconfirmed.code, 1)
  assert.match(unconfirmed.stderr, /confirm with --yes/)
  await commands.answer('balance', 'grant', 'leaving', '5', '--reason', 'test', '--reference', 'r')
  const funded = await commands.run(['organization', 'delete', 'leaving', '--yes'])
  assert.match(funded.stderr, /5\.00 \w+ left/)
  const asked = ['organization', 'delete', 'leaving', '--yes', '--forfeit-balance']
  assert.equal((await commands.answer(...asked))['deleted'], true)
  const again = await commands.answer('organization', 'create', 'leaving')
  assert.notEqual(again['id'], made['id'])
})

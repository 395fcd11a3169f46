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

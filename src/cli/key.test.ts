import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createCommands } from '../../test/harness/processes/command.ts'
import { findByKeyHash, findForPlayground } from '../store/tenants/identities.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { hashApiKey, parseApiKey } from '../tenancy/api-key.ts'
import {
  createSigningKey,
  playgroundRealm,
  verifyPlaygroundCredential,
} from '../tenancy/playground-credential.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })
await commands.answer('account', 'create', 'owner@example.com')
await commands.answer('organization', 'create', 'acme', '--owner', 'owner@example.com')

endWithFile(postgres, commands)

const ACME = ['--organization', 'acme']

async function identityOf(text: unknown) {
  const key = parseApiKey(String(text), 'headrace')
  assert.ok(key !== undefined, 'it is an API key')
  return findByKeyHash(postgres.pool, hashApiKey(key))
}

test('a created key works and is shown only once', async () => {
  const created = await commands.answer('key', 'create', ...ACME, '--name', 'once')
  const identity = await identityOf(created['key'])
  assert.equal(identity?.credential.id, created['id'])
  assert.equal(identity?.account, null)
  const secret = String(created['key']).slice('headrace_sk_'.length, -6)
  for (const args of [
    ['list', ...ACME],
    ['show', String(created['id'])],
  ]) {
    for (const more of [[], ['--json']]) {
      const { code, stdout } = await commands.run(['key', ...args, ...more])
      assert.equal(code, 0)
      assert.ok(stdout.includes(String(created['id'])))
      assert.ok(stdout.includes(`headrace_sk_…${String(created['key']).slice(-4)}`))
      assert.ok(!stdout.includes(secret.slice(0, 8)))
    }
  }
})

test('a key can expire and can be owned by a member', async () => {
  const startedMs = Date.now()
  const created = await commands.answer(
    'key',
    'create',
    ...ACME,
    '--project',
    'default',
    '--name',
    'ci',
    '--expires',
    '30d',
    '--account',
    'OWNER@example.com',
  )
  const identity = await identityOf(created['key'])
  const lifeMs = (identity?.credential.expiresAt?.getTime() ?? 0) - startedMs
  assert.ok(lifeMs >= 30 * 86_400_000 && lifeMs < 30 * 86_400_000 + 60_000)
  assert.equal(identity?.account?.state, 'active')
  assert.equal(identity?.membership?.role, 'owner')
})

test('a new key is printed without what is not set, and the command says to store it', async () => {
  const args = ['key', 'create', ...ACME, '--name', 'shown']
  const { stdout, stderr } = await commands.run(args)
  assert.match(stdout, /^key +headrace_sk_\w+$/m)
  assert.doesNotMatch(stdout, / -$/m)
  assert.equal(stderr, 'Store the key now: it is not shown again.\n')
  const json = await commands.answer(...args)
  assert.equal(json['expires_at'], null)
})

test('a key can expire at a time in UTC, which must be in the future', async () => {
  const create = ['key', 'create', ...ACME, '--name', 'until', '--expires']
  const day = await commands.answer(...create, '2999-01-31')
  assert.equal(day['expires_at'], '2999-01-31T00:00:00.000Z')
  const time = await commands.answer(...create, '2999-01-31T08:30Z')
  assert.equal(time['expires_at'], '2999-01-31T08:30:00.000Z')
  for (const [text, problem] of [
    ['2020-01-01', /Must be in the future/],
    ['2999-02-30', /Must be a duration .* or a UTC time/],
  ] as const) {
    const { code, stderr } = await commands.run([...create, text])
    assert.equal(code, 1)
    assert.match(stderr, problem)
  }
})

test('a key ignores the parameters that it lists, and only those that may be ignored', async () => {
  const create = ['key', 'create', ...ACME, '--name', 'dify', '--ignored-parameters']
  const created = await commands.answer(...create, 'metadata,user')
  assert.deepEqual(created['ignored_parameters'], ['user', 'metadata'])
  const change = ['key', 'change', String(created['id']), '--ignored-parameters']
  assert.deepEqual((await commands.answer(...change, 'none'))['ignored_parameters'], [])
  for (const names of ['top_k', 'user,top_k', 'user,', '']) {
    const { code, stderr } = await commands.run([...change, names])
    assert.equal(code, 1)
    assert.match(stderr, /Must be none, or one or more of user, safety_identifier, metadata,/)
  }
})

test('a key can be revoked repeatedly and stays listed', async () => {
  const created = await commands.answer('key', 'create', ...ACME, '--name', 'lost')
  const id = String(created['id'])
  const revoked = await commands.answer('key', 'revoke', id)
  assert.ok(typeof revoked['revoked_at'] === 'string')
  assert.deepEqual(await commands.answer('key', 'revoke', id), revoked)
  const identity = await identityOf(created['key'])
  assert.ok(identity?.credential.kind === 'api_key' && identity.credential.revokedAt !== null)
  const { stdout } = await commands.run(['key', 'list', ...ACME, '--json'])
  assert.ok((JSON.parse(stdout) as { id: string }[]).some((key) => key.id === id))
})

test('a key is created with limits, changed and rotated, and each change is audited', async () => {
  const limits = ['--requests-per-minute', '5', '--spending-limit', '2.5']
  const created = await commands.answer('key', 'create', ...ACME, '--name', 'limited', ...limits)
  const id = String(created['id'])
  assert.deepEqual([created['requests_per_minute'], created['spending_limit']], [5, '2.50'])
  const cleared = ['--requests-per-minute', 'none', '--spending-limit', '0', '--expires', '1d']
  const changed = await commands.answer('key', 'change', id, ...cleared, '--by', 'Grace')
  assert.deepEqual([changed['requests_per_minute'], changed['spending_limit']], [null, '0.00'])
  assert.equal(typeof changed['expires_at'], 'string')
  const never = await commands.answer('key', 'change', id, '--expires', 'never')
  assert.equal(never['expires_at'], null)
  const rotated = await commands.answer('key', 'rotate', id, '--overlap', '1h')
  assert.match(String(rotated['key']), /^headrace_sk_/)
  assert.equal(rotated['spending_limit'], '0.00')
  const old = await commands.answer('key', 'show', id)
  assert.equal(old['replaced_by'], rotated['id'])
  const events = await postgres.database
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'actor_label'])
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ action }) => action),
    ['key.create', 'key.change', 'key.change', 'key.rotate'],
  )
  assert.deepEqual(events[1], {
    action: 'key.change',
    actor_kind: 'operator_shell',
    actor_label: 'Grace',
  })
  const rejected: [string[], RegExp][] = [
    [['change', id], /^headrace: nothing to change/],
    [['change', id, '--models', 'no'], /^headrace: 'models\[0\]' must be the id of a model\n$/],
    [['rotate', String(rotated['id']), '--overlap', '8d'], /^headrace: a key can overlap/],
    [['revoke', id, '--reason', ''], /Must have 1 to 200 characters/],
  ]
  for (const [args, message] of rejected) {
    const { code, stderr } = await commands.run(['key', ...args])
    assert.equal(code, 1)
    assert.match(stderr, message)
  }
})

test('--after continues a list', async () => {
  const { stdout: all } = await commands.run(['key', 'list', ...ACME, '--json'])
  const ids = (JSON.parse(all) as { id: string }[]).map((key) => key.id)
  assert.ok(ids.length >= 2)
  const { stdout: rest } = await commands.run([
    'key',
    'list',
    ...ACME,
    '--project',
    'default',
    '--json',
    '--limit',
    '1',
    '--after',
    String(ids[0]),
  ])
  assert.deepEqual(
    (JSON.parse(rest) as { id: string }[]).map((key) => key.id),
    [ids[1]],
  )
})

test('an unknown reference is reported in one line', async () => {
  await commands.answer('account', 'create', 'stranger@example.com')
  const rejected: [string[], RegExp][] = [
    [
      ['create', '--organization', 'no', '--name', 'x'],
      /^headrace: organization "no" not found\n$/,
    ],
    [
      ['create', ...ACME, '--project', 'no', '--name', 'x'],
      /^headrace: project "no" not found in the organization\n$/,
    ],
    [['create', ...ACME, '--name', 'x', '--account', 'no'], /^headrace: account "no" not found\n$/],
    [
      ['create', ...ACME, '--name', 'x', '--account', 'stranger@example.com'],
      /not an active member/,
    ],
    [['create', ...ACME, '--name', ''], /^headrace: the name must have 1 to 100 characters/],
    [['show', 'no'], /^headrace: API key "no" not found\n$/],
    [['revoke', '00000000-0000-7000-8000-000000000000'], /^headrace: API key ".*" not found/],
  ]
  for (const [args, message] of rejected) {
    const { code, stdout, stderr } = await commands.run(['key', ...args])
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.match(stderr, message)
    assert.equal(stderr.split('\n').length, 2)
  }
})

test('a playground credential verifies and identifies its member', async () => {
  const issued = await commands.answer(
    'key',
    'playground',
    ...ACME,
    '--account',
    'owner@example.com',
    '--ttl',
    '2m',
  )
  const claims = verifyPlaygroundCredential(
    String(issued['credential']),
    playgroundRealm({ key_prefix: 'headrace', path_segment: 'compat' }),
    [createSigningKey(commands.signingKey)],
    Date.now(),
  )
  assert.ok(claims !== undefined)
  assert.ok(Math.abs(claims.expiresAt.getTime() - Date.now() - 120_000) < 60_000)
  const [identity] = await findForPlayground(postgres.pool, [claims])
  assert.equal(identity?.membership?.role, 'owner')
  const [event] = await postgres.database
    .selectFrom('audit_events')
    .select(['actor_kind', 'organization_id', 'target_label'])
    .where('action', '=', 'playground.issue')
    .execute()
  const acted = [event?.actor_kind, event?.organization_id, event?.target_label]
  assert.deepEqual(acted, ['operator_shell', claims.organizationId, 'owner@example.com'])
})

test('a playground credential lasts at most ten minutes and needs the signing key', async () => {
  const args = ['key', 'playground', ...ACME, '--account', 'owner@example.com']
  const long = await commands.run([...args, '--ttl', '11m'])
  assert.deepEqual([long.code, long.stderr], [1, 'headrace: --ttl must be at most 10m\n'])
  const unsigned = await commands.run(args, { HEADRACE_SIGNING_KEY: '' })
  assert.equal(unsigned.code, 78)
  assert.match(unsigned.stderr, /HEADRACE_SIGNING_KEY/)
})

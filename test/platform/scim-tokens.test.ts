import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask } from '../harness/processes/console.ts'
import { setUpScim } from '../harness/servers/scim.ts'
import { startSsoBench } from '../harness/servers/sso-bench.ts'
import { waitUntil } from '../harness/figures/measure.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

test('a token is shown once and stored as a hash; its use is seen in the list', async () => {
  const { scim, path, owner, tokenId } = await setUpScim(bench)
  const { root, postgres } = bench.console_
  const secret = scim.as['authorization']!.slice('Bearer '.length)
  assert.match(secret, /^headrace_scim_[0-9A-Za-z]{49}$/)
  const list = () => ask(root, 'GET', `${path}/scim-tokens`, { as: owner.as })
  const [unused] = (await list()).body.data
  assert.deepEqual([unused?.id, unused?.['last_used_at']], [tokenId, null])
  await scim.ask('GET', '/Users')
  const isNoted = async () => {
    const listed = await list()
    assert.ok(!listed.text.includes(secret))
    return listed.body.data[0]?.['last_used_at'] !== null
  }
  await waitUntil('a use that is noted', isNoted, 10_000)
  const rows = await postgres.database.selectFrom('scim_tokens').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(secret))
})

test('409: an organization has at most ten tokens that work', async () => {
  const { path, owner, tokenId } = await setUpScim(bench)
  const { root } = bench.console_
  const make = () =>
    ask(root, 'POST', `${path}/scim-tokens`, { as: owner.as, body: { name: 'one more' } })
  const made = []
  for (let more = 0; more < 10; more += 1) made.push((await make()).status)
  assert.deepEqual(made, [...Array.from({ length: 9 }, () => 201), 409])
  await ask(root, 'DELETE', `${path}/scim-tokens/${tokenId}`, { as: owner.as })
  assert.equal((await make()).status, 201)
})

test('a token works on without its maker, and is revoked by its secret', async () => {
  const { scim, organizationId, owner } = await setUpScim(bench)
  const { root, postgres } = bench.console_
  const { database } = postgres
  await database
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('account_id', '=', owner.accountId)
    .execute()
  assert.equal((await scim.ask('GET', '/Users')).status, 200)
  const secret = scim.as['authorization']!.slice('Bearer '.length)
  const reported = await ask(root, 'POST', '/revoked-keys', { body: { secret } })
  assert.equal(reported.status, 202)
  assert.equal((await scim.ask('GET', '/Users')).status, 401)
  const events = await database
    .selectFrom('audit_events')
    .select('actor_label')
    .where('organization_id', '=', organizationId)
    .where('action', '=', 'scim_token.revoke')
    .execute()
  assert.deepEqual(events, [{ actor_label: 'holder of the secret' }])
})

test('403: SCIM may be called only from networks that the organization allows', async () => {
  const { scim, path, owner } = await setUpScim(bench)
  const { root } = bench.console_
  const networks = ['192.0.2.0/24', '127.30.0.0/16']
  const set = await ask(root, 'PUT', `${path}/allowed-networks`, {
    as: owner.as,
    body: { networks },
    from: '127.30.1.1',
  })
  assert.equal(set.status, 200, set.text)
  const answer = await scim.ask('GET', '/Users')
  assert.deepEqual([answer.status, answer.body['status']], [403, '403'])
})

test('400: a group name is given a role once, also if letters are written otherwise', async () => {
  const { path, owner } = await setUpScim(bench)
  const body = {
    roles: [
      { group: 'Team', role: 'admin' },
      { group: 'TEAM', role: 'viewer' },
    ],
  }
  const { root } = bench.console_
  const answer = await ask(root, 'PUT', `${path}/scim`, { as: owner.as, body })
  assert.deepEqual([answer.status, answer.body.error.param], [400, 'roles[1].group'])
  const shown = await ask(root, 'GET', `${path}/scim`, { as: owner.as })
  assert.deepEqual(shown.body['roles'], [])
  assert.equal(shown.body['base_url'], 'http://localhost:8081/scim/v2')
})

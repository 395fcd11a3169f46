import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

test('a key is created with its limits, and shown without its secret', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const [model] = console_.config.models
  const settings = {
    expires_at: inDays(30),
    models: [model!.id],
    requests_per_minute: 60,
    spending_limit: { amount: '12.5' },
  }
  const created = await owner.ask('POST', '/keys', { body: { name: 'first', ...settings } })
  assert.equal(created.status, 201, created.text)
  const shown = await owner.ask('GET', `/keys/${created.body.id}`)
  const { key: secret, ...rest } = created.body
  assert.deepEqual(shown.body, rest)
  assert.equal(shown.body['requests_per_minute'], 60)
  assert.deepEqual(shown.body['spending_limit'], {
    amount: '12.50',
    amount_micro: 12_500_000,
    currency: 'USD',
  })
  assert.equal(shown.body['created_by'], owner.accountId)
  assert.ok(!shown.text.includes(secret.slice(12, -4)))
  assert.equal(shown.headers['etag'], created.headers['etag'])
})

test('400: settings that cannot be are refused by name', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const rejected: [object, string][] = [
    [{ models: ['no-such-model'] }, 'models[0]'],
    [{ models: [] }, 'models'],
    [{ expires_at: inDays(-1) }, 'expires_at'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ spending_limit: { amount: '-1' } }, 'spending_limit.amount'],
    [{ spending_limit: { amount: '1', currency: 'XXX' } }, 'spending_limit.currency'],
    [{ requests_per_minute: -1 }, 'requests_per_minute'],
    [{ ignored_parameters: ['user', 'top_k'] }, 'ignored_parameters[1]'],
    [{ ignored_parameters: null }, 'ignored_parameters'],
  ]
  for (const [settings, param] of rejected) {
    const answer = await owner.ask('POST', '/keys', { body: { name: 'x', ...settings } })
    assert.deepEqual([answer.status, answer.body.error.param], [400, param], answer.text)
  }
  const control = await owner.ask('POST', '/keys', { body: { name: 'a\u0007b' } })
  assert.equal(control.status, 400)
})

test('a member lists and changes only their own keys: another is like absent', async () => {
  const organization = await openConsoleOrganization(console_)
  const member = await organization.open('member')
  const theirs = await organization.owner.ask('POST', '/keys', { body: { name: 'theirs' } })
  const own = await member.ask('POST', '/keys', { body: { name: 'own' } })
  const listed = await member.ask('GET', '/keys')
  assert.deepEqual(
    listed.body.data.map(({ id }) => id),
    [own.body.id],
  )
  const absent = crypto.randomUUID()
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['POST', '/rotate', {}],
    ['POST', '/revoke', {}],
  ] as const) {
    const foreign = await member.ask(method, `/keys/${theirs.body.id}${path}`, { body })
    const unknown = await member.ask(method, `/keys/${absent}${path}`, { body })
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, unknown.text)
  }
  assert.equal((await member.ask('GET', '/keys?owner=organization')).status, 400)
  const shared = { name: 'shared', owner: 'organization' }
  assert.equal((await member.ask('POST', '/keys', { body: shared })).status, 403)
  const changed = await member.ask('PATCH', `/keys/${own.body.id}`, { body: { name: 'renamed' } })
  assert.equal(changed.body['name'], 'renamed')
})

test('412: a change of a key that somebody else has changed is refused', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const created = await owner.ask('POST', '/keys', { body: { name: 'one' } })
  const path = `/keys/${created.body.id}`
  const headers = { 'if-match': created.headers['etag']! }
  // Using the key is not a change of it.
  await console_.postgres.database
    .updateTable('api_keys')
    .set({ last_used_at: new Date() })
    .where('id', '=', created.body.id)
    .execute()
  const answers = await Promise.all(
    ['two', 'three'].map((name) => owner.ask('PATCH', path, { body: { name }, headers })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 412]))
  const refused = answers.find(({ status }) => status === 412)
  assert.equal(refused?.body.error.code, 'precondition_failed')
  const newest = answers.find(({ status }) => status === 200)?.headers['etag']
  const cleared = await owner.ask('PATCH', path, {
    body: { name: 'four' },
    headers: { 'if-match': newest! },
  })
  assert.equal(cleared.status, 200)
})

test('a change is audited once with before and after, a repetition is not', async () => {
  const { owner, events } = await openConsoleOrganization(console_)
  const created = await owner.ask('POST', '/keys', { body: { name: 'audited' } })
  const path = `/keys/${created.body.id}`
  await owner.ask('PATCH', path, { body: { requests_per_minute: 5 } })
  await owner.ask('PATCH', path, { body: { requests_per_minute: 5 } })
  await owner.ask('POST', `${path}/revoke`, { body: { reason: 'leaked' } })
  await owner.ask('POST', `${path}/revoke`, { body: {} })
  const written = await events()
  assert.deepEqual(
    written.map(({ action }) => action),
    ['key.create', 'key.change', 'key.revoke'],
  )
  assert.deepEqual(written[1]?.changes, { requests_per_minute: [null, 5] })
  assert.equal(written[2]?.changes['revoke_reason']?.[1], 'leaked')
  assert.equal((await owner.ask('GET', path)).body['revoked_by'], owner.accountId)
})

test('whoever may change a key changes what it ignores, and each change is audited', async () => {
  const { owner, open, events } = await openConsoleOrganization(console_)
  const [admin, member, viewer] = [await open('admin'), await open('member'), await open('viewer')]
  const { body: key } = await member.ask('POST', '/keys', {
    body: { name: 'mine', ignored_parameters: ['metadata', 'user', 'user'] },
  })
  // Each once and in the order of the response header.
  assert.deepEqual(key['ignored_parameters'], ['user', 'metadata'])
  const path = `/keys/${key.id}`
  const change = (by: typeof owner, ignored_parameters: string[]) =>
    by.ask('PATCH', path, { body: { ignored_parameters } })
  const changed = await change(admin, ['prompt_cache_key'])
  assert.deepEqual(changed.body['ignored_parameters'], ['prompt_cache_key'])
  assert.deepEqual(changed.body['held_limits'], [], 'it is not a limit')
  assert.equal((await change(member, [])).status, 200)
  assert.equal((await change(viewer, ['user'])).status, 403)
  const written = await events()
  assert.deepEqual(
    written.flatMap(({ action, changes }) =>
      action.startsWith('key.') ? [changes['ignored_parameters']] : [],
    ),
    [
      [null, ['user', 'metadata']],
      [['user', 'metadata'], ['prompt_cache_key']],
      [['prompt_cache_key'], []],
    ],
  )
})

test('a rotated key has the same settings and names its replacement', async () => {
  const { owner, events } = await openConsoleOrganization(console_)
  const settings = { requests_per_minute: 7, ignored_parameters: ['user'] }
  const body = { name: 'old', ...settings, owner: 'organization' }
  const old = await owner.ask('POST', '/keys', { body })
  const rotated = await owner.ask('POST', `/keys/${old.body.id}/rotate`, {
    body: { overlap_seconds: 3600 },
  })
  assert.equal(rotated.status, 201, rotated.text)
  assert.notEqual(rotated.body.key, old.body.key)
  assert.equal(rotated.body['requests_per_minute'], 7)
  assert.deepEqual(rotated.body['ignored_parameters'], ['user'])
  const ended = await owner.ask('GET', `/keys/${old.body.id}`)
  assert.equal(ended.body['replaced_by'], rotated.body.id)
  const leftMs = Date.parse(String(ended.body['expires_at'])) - Date.now()
  assert.ok(leftMs > 3_000_000 && leftMs <= 3_600_000)
  const again = await owner.ask('POST', `/keys/${old.body.id}/rotate`, { body: {} })
  assert.equal(again.status, 409)
  const long = { body: { overlap_seconds: 604_801 } }
  assert.equal((await owner.ask('POST', `/keys/${rotated.body.id}/rotate`, long)).status, 400)
  const text = JSON.stringify(await events())
  for (const key of [old.body.key, rotated.body.key]) assert.ok(!text.includes(key.slice(12, -4)))
})

test('keys are sorted by name, end and last use, page by page', async () => {
  const { owner, open } = await openConsoleOrganization(console_)
  await open('member')
  const create = async (name: string, expiresAt: string | null, usedAt: string | null) => {
    const body = { name, expires_at: expiresAt }
    const { id } = (await owner.ask('POST', '/keys', { body })).body
    await console_.postgres.database
      .updateTable('api_keys')
      .set({ last_used_at: usedAt === null ? null : new Date(usedAt) })
      .where('id', '=', id)
      .execute()
  }
  await create('Beta', null, '2026-03-01T00:00:00Z')
  await create('Alpha', '2090-01-01T00:00:00Z', null)
  await create('gamma', '2080-01-01T00:00:00Z', '2026-05-01T00:00:00Z')
  await create('alpha two', null, '2026-04-01T00:00:00Z')
  const walk = async (query: string) => {
    const found: string[] = []
    for (let next = ''; ;) {
      const { status, body, text } = await owner.ask('GET', `/keys?limit=1&${query}${next}`)
      assert.equal(status, 200, text)
      found.push(...body.data.map(({ name }) => String(name)))
      if (body.next === null) return found.join(', ')
      assert.ok(found.length < 10, 'the list does not end')
      next = `&after=${body.next}`
    }
  }
  assert.equal(await walk('sort=name&order=asc'), 'Alpha, alpha two, Beta, gamma')
  assert.equal(await walk('sort=name'), 'gamma, Beta, alpha two, Alpha')
  assert.equal(await walk('sort=expires&order=asc'), 'gamma, Alpha, Beta, alpha two')
  assert.equal(await walk('sort=last_used'), 'gamma, alpha two, Beta, Alpha')
  assert.equal(await walk('sort=last_used&order=asc'), 'Alpha, Beta, alpha two, gamma')
  assert.equal(await walk('sort=created&order=asc'), 'Beta, Alpha, gamma, alpha two')
  assert.equal(await walk('sort=name&order=asc&q=alpha'), 'Alpha, alpha two')
  // The place of a key of others in the order is nobody's business.
  const stranger = await openConsoleOrganization(console_)
  const foreign = (await stranger.owner.ask('POST', '/keys', { body: { name: 'a' } })).body.id
  const rest = await owner.ask('GET', `/keys?sort=name&order=asc&after=${foreign}`)
  assert.deepEqual(rest.body.data, [])
})

test('filters, pages and searches in names cover each key once, newest first', async () => {
  const { owner, open } = await openConsoleOrganization(console_)
  const member = await open('member')
  const names = ['Deploy b', 'deploy a', 'other', 'deploy%', 'deploy c']
  const ids: string[] = []
  for (const name of names) ids.push((await owner.ask('POST', '/keys', { body: { name } })).body.id)
  const organizations = { name: 'shared', owner: 'organization' }
  const created = (await owner.ask('POST', '/keys', { body: organizations })).body
  const shared = created.id
  const own = (await member.ask('POST', '/keys', { body: { name: 'mine' } })).body.id
  await owner.ask('POST', `/keys/${ids[0]}/revoke`, { body: {} })
  const walk = async (query: string) => {
    const found: string[] = []
    let next = ''
    for (let pages = 0; pages < 20; pages += 1) {
      const { status, body, text } = await owner.ask('GET', `/keys?limit=2${query}${next}`)
      assert.equal(status, 200, text)
      found.push(...body.data.map(({ id }) => id))
      if (body.next === null) return found
      next = `&after=${body.next}`
    }
    throw new Error('the list does not end')
  }
  const mine = ids.toReversed()
  assert.deepEqual(await walk(''), [own, shared, ...mine])
  assert.deepEqual(await walk('&owner=me'), mine)
  assert.deepEqual(await walk('&owner=organization'), [shared])
  assert.deepEqual(await walk(`&owner=${member.accountId}`), [own])
  assert.deepEqual(await walk('&state=active'), [own, shared, ...mine.slice(0, -1)])
  const [b, a, , percent, c] = ids
  assert.deepEqual(await walk('&q=DEPLOY'), [c, percent, a, b])
  assert.deepEqual(await walk('&q=EPLOY&state=active'), [c, percent, a])
  assert.deepEqual(await walk('&q=deploy%25'), [percent])
  assert.deepEqual(await walk('&q=ploy_'), [])
  assert.deepEqual(await walk('&q=ther'), [ids[2]])
  assert.deepEqual(await walk('&project=default&q=o'), [ids[2]])
  assert.deepEqual(await walk('&q=ar'), [], 'a short term is a beginning')
  const lastFour = encodeURIComponent(created.key.slice(-4))
  assert.deepEqual(await walk(`&q=${lastFour}`), [shared])
  assert.deepEqual(await walk(`&q=${lastFour}&owner=me`), [])
  assert.deepEqual(await walk(`&q=${shared}`), [shared])
  const stranger = await openConsoleOrganization(console_)
  assert.deepEqual((await stranger.owner.ask('GET', `/keys?q=${shared}`)).body.data, [])
  assert.equal((await owner.ask('GET', '/keys?q=')).status, 400)
  assert.equal((await owner.ask('GET', '/keys?after=x')).status, 400)
  assert.equal((await owner.ask('GET', '/keys?project=none')).status, 404)
})

test('a management key manages keys of the organization, never of a person', async () => {
  const { id, owner } = await openConsoleOrganization(console_)
  const scopes = ['keys:write', 'keys:read']
  const facts = { createdBy: owner.accountId, organizationId: id, scopes }
  const as = await console_.openManagementKey(facts)
  const keys = `/organizations/${id}/keys`
  const created = await ask(console_.root, 'POST', keys, { as, body: { name: 'by key' } })
  assert.equal(created.body['created_by'], null)
  const mine = { name: 'mine', owner: 'me' }
  assert.equal((await ask(console_.root, 'POST', keys, { as, body: mine })).status, 400)
})

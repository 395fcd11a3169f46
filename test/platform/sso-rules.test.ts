import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, openSession, PUBLIC_URL, type Headers } from '../harness/console.ts'
import { assertRefused, startSsoBench, type SsoBench } from '../harness/sso-bench.ts'

let bench: SsoBench

before(async () => {
  bench = await startSsoBench()
})
after(async () => {
  await bench[Symbol.asyncDispose]()
})

test('an account with a second factor of its own is asked for it after SSO too', async () => {
  const { connection, domain, path } = await bench.setUp()
  const email = `grace@${domain}`
  await bench.signIn(connection, email)
  const [{ id } = { id: '' }] = await bench.accountsOf(email)
  await bench.console_.postgres.database
    .insertInto('one_time_factors')
    .values({ account_id: id, sealed: Buffer.alloc(1), confirmed_at: new Date() })
    .execute()
  const { as } = await bench.signIn(connection, email)
  assert.equal((await bench.enter(path, as)).body.error.code, 'second_factor_required')
})

test('a fresh sign-in at the provider confirms the session of the same person only', async () => {
  const { connection, domain, path } = await bench.setUp()
  const { database } = bench.console_.postgres
  const first = await bench.signIn(connection, `heidi@${domain}`)
  const age = async () =>
    database
      .updateTable('sessions')
      .set({ confirmed_at: new Date(0) })
      .execute()
  const confirmAs = async (as: Headers, login: string) => {
    const { url, cookie } = await bench.start(connection, '?confirm=true&to=/settings', as)
    assert.equal(new URL(url).searchParams.get('prompt'), 'login')
    return bench.finish(await bench.provider.signIn(url, login), `${as['cookie']}; ${cookie}`)
  }
  await age()
  assert.ok(first.as)
  assertRefused(await confirmAs(first.as, `ivan@${domain}`), 'other_person')
  const beginTotp = (as: Headers) => ask(bench.console_.root, 'POST', '/me/totp', { as, body: {} })
  assert.equal((await beginTotp(first.as)).body.error.code, 'confirmation_required')
  const confirmed = await confirmAs(first.as, `heidi@${domain}`)
  assert.equal(confirmed.to, '/settings')
  assert.ok(confirmed.as)
  assert.equal((await beginTotp(confirmed.as)).status, 201)
  assert.equal((await bench.enter(path, first.as)).status, 401)
  const nobody = await fetch(`${bench.console_.root}/sso/${connection}/start?confirm=true`)
  assert.equal(nobody.status, 401)
})

test('an owner who signed in with the provider may require it; others lose access', async () => {
  const { connection, domain, path, owner, organizationId } = await bench.setUp()
  const { database } = bench.console_.postgres
  const rules = (as: Headers, body: object) =>
    ask(bench.console_.root, 'PUT', `${path}/sign-in`, { as, body })
  const strict = { sso_only: true, second_factor_required: false }
  assert.equal((await rules(owner.as, strict)).body.error.code, 'conflict')
  const judy = await bench.signIn(connection, `judy@${domain}`)
  assert.ok(judy.as)
  await database
    .updateTable('memberships')
    .set({ role: 'owner' })
    .where('organization_id', '=', organizationId)
    .execute()
  assert.equal((await rules(judy.as, strict)).status, 200)
  assert.equal((await bench.enter(path, judy.as)).status, 200)
  assert.equal((await bench.enter(path, owner.as)).body.error.code, 'role_required')
  // Not for other organizations, nor through their providers.
  const other = await bench.setUp()
  assert.equal((await bench.enter(other.path, other.owner.as)).status, 200)
  const outsider = await bench.signIn(other.connection, `kim@${other.domain}`)
  const [{ id } = { id: '' }] = await bench.accountsOf(`kim@${other.domain}`)
  await database
    .insertInto('memberships')
    .values({ organization_id: organizationId, account_id: id, role: 'owner' })
    .execute()
  assert.equal((await bench.enter(path, outsider.as)).body.error.code, 'role_required')
  assert.equal((await bench.enter(other.path, outsider.as)).status, 200)
  const last = await ask(bench.console_.root, 'DELETE', `${path}/sso-connections/${connection}`, {
    as: judy.as,
    body: {},
  })
  assert.equal(last.body.error.code, 'conflict')
})

test('an organization that requires a second factor refuses sessions without one', async () => {
  const { path, owner, organizationId, connection, domain } = await bench.setUp()
  const strict = { sso_only: false, second_factor_required: true }
  const set = (as: Headers) =>
    ask(bench.console_.root, 'PUT', `${path}/sign-in`, { as, body: strict })
  const weak = await openSession(bench.console_.postgres, owner.accountId)
  const { database } = bench.console_.postgres
  const newest = database.selectFrom('sessions').select('id').orderBy('id', 'desc').limit(1)
  await database
    .updateTable('sessions')
    .set({ methods: ['password'] })
    .where('id', 'in', newest)
    .execute()
  assert.equal((await set(weak)).body.error.code, 'conflict')
  assert.equal((await set(owner.as)).status, 200)
  assert.equal((await bench.enter(path, weak)).body.error.code, 'second_factor_required')
  assert.equal((await bench.enter(path, owner.as)).status, 200)
  const bySso = await bench.signIn(connection, `leo@${domain}`)
  assert.equal((await bench.enter(path, bySso.as)).status, 200)
  const elsewhere = await bench.console_.openOrganization()
  await database
    .insertInto('memberships')
    .values({ organization_id: elsewhere.id, account_id: owner.accountId, role: 'owner' })
    .execute()
  assert.equal((await bench.enter(`/organizations/${elsewhere.id}`, weak)).status, 200)
  assert.notEqual(elsewhere.id, organizationId)
})

test('operators need a second factor of their own, whatever their provider says', async () => {
  const { connection, domain, path } = await bench.setUp()
  const email = `mallory@${domain}`
  await bench.signIn(connection, email)
  const { database } = bench.console_.postgres
  await database
    .updateTable('accounts')
    .set({ platform_role: 'operator' })
    .where('email', '=', email)
    .execute()
  const { as } = await bench.signIn(connection, email)
  assert.equal((await bench.enter(path, as)).body.error.code, 'second_factor_required')
  await database.updateTable('sessions').set({ incomplete: false }).execute()
  assert.equal((await bench.enter(path, as)).body.error.code, 'second_factor_required')
})

test('the lookup has the same form for every text and says nothing about accounts', async () => {
  const { connection, domain } = await bench.setUp()
  const find = async (email: string) =>
    (
      await ask(bench.console_.root, 'POST', '/sso/lookup', {
        as: { origin: PUBLIC_URL },
        body: { email },
      })
    ).body
  const expected = { connections: [{ id: connection, name: 'Provider' }], sso_only: false }
  for (const email of [`known@${domain}`, `UNKNOWN@${domain.toUpperCase()}`])
    assert.deepEqual(await find(email), expected)
  const none = { connections: [], sso_only: false }
  for (const email of ['', 'x', `x@sub.${domain}`, 'x@unknown.example', 'x@\u0001'])
    assert.deepEqual(await find(email), none)
})

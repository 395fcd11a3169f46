import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '../../src/platform/sign-in/identity/token.ts'
import { createMailToken } from '../../src/store/sign-in/mail-tokens.ts'
import { ask, openSession, PUBLIC_URL, type Headers } from '../harness/processes/console.ts'
import { STRANGER } from '../harness/clients/sign-in.ts'
import { assertRefused, startSsoBench, type SsoOrganization } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

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
    const { url, cookie } = await bench.start(connection, { confirm: true, to: '/settings' }, as)
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
  const nobody = await ask(bench.console_.root, 'POST', `/sso/${connection}/start`, {
    as: { origin: PUBLIC_URL },
    body: { confirm: true },
  })
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

/** Somebody who signed in with SSO, owns the organization and has set "only SSO". */
async function requireSso({ connection, domain, path, organizationId }: SsoOrganization) {
  const { as } = await bench.signIn(connection, `olga@${domain}`)
  assert.ok(as)
  const [{ id } = { id: '' }] = await bench.accountsOf(`olga@${domain}`)
  await bench.console_.postgres.database
    .updateTable('memberships')
    .set({ role: 'owner' })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', id)
    .execute()
  const body = { sso_only: true, second_factor_required: false }
  const set = await ask(bench.console_.root, 'PUT', `${path}/sign-in`, { as, body })
  return { as, set }
}

const removeDomain = (path: string, as: Headers, id: string) =>
  ask(bench.console_.root, 'DELETE', `${path}/domains/${id}`, { as, body: {} })

async function domainsOf(path: string, as: Headers): Promise<Map<unknown, string>> {
  const { body } = await ask(bench.console_.root, 'GET', `${path}/domains`, { as })
  return new Map(body.data.map((row) => [row['domain'], row.id]))
}

test('with only SSO the last verified domain stays, and that of the owner who acts', async () => {
  const acme = await bench.setUp()
  const { path, domain } = acme
  const { as, set } = await requireSso(acme)
  assert.equal(set.status, 200, set.text)
  const unverified = await ask(bench.console_.root, 'POST', `${path}/domains`, {
    as,
    body: { domain: `unverified-${domain}` },
  })
  const last = await removeDomain(path, as, (await domainsOf(path, as)).get(domain) ?? '')
  assert.equal(last.body.error.code, 'conflict', last.text)
  assert.equal((await removeDomain(path, as, unverified.body.id)).status, 204)
  const second = await bench.verify(path, as, `second-${domain}`)
  assert.equal(second.status, 200)
  const own = await removeDomain(path, as, (await domainsOf(path, as)).get(domain) ?? '')
  assert.equal(own.body.error.code, 'conflict', own.text)
  assert.equal((await removeDomain(path, as, second.body.id)).status, 204)
  // Nothing was lost by the refusals.
  assert.notEqual((await bench.signIn(acme.connection, `olga@${domain}`)).as, null)
})

test('with only SSO nobody moves to an address that SSO would refuse', async () => {
  const acme = await bench.setUp()
  const { path, domain } = acme
  const { as } = await requireSso(acme)
  assert.equal((await bench.verify(path, as, `second-${domain}`)).status, 200)
  const { root, postgres } = bench.console_
  const [{ id } = { id: '' }] = await bench.accountsOf(`olga@${domain}`)
  const move = async (email: string) => {
    const { token, hash } = createToken()
    const endsAt = new Date(Date.now() + 60_000)
    const link = { hash, kind: 'change', accountId: id, email, endsAt, network: null } as const
    await createMailToken(postgres.database, link)
    return ask(root, 'POST', '/email-verifications', { as: STRANGER, body: { token } })
  }
  const outside = `olga-${domain}@elsewhere.example`
  const asked = await ask(root, 'POST', '/me/email', { as, body: { email: outside } })
  assert.match(asked.body.error.message, /lock yourself out/)
  const moved = await move(outside)
  assert.equal(moved.body.error.code, 'conflict', moved.text)
  assert.equal((await move(`olga@second-${domain}`)).status, 204)
})

test('with two removals at once one of the last two verified domains stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const acme = await bench.setUp()
    const { path, owner } = acme
    const second = await bench.verify(path, owner.as, `second-${acme.domain}`)
    const { as } = await requireSso(acme)
    // Otherwise the removal of this owner's own domain is refused for that reason.
    await bench.console_.postgres.database
      .updateTable('accounts')
      .set({ email: `olga-${round}@private.example` })
      .where('email', '=', `olga@${acme.domain}`)
      .execute()
    const first = (await domainsOf(path, as)).get(acme.domain) ?? ''
    const answers = await Promise.all(
      [first, second.body.id].map((id) => removeDomain(path, as, id)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [204, 409],
    )
  }
})

test('only SSO cannot be set without a verified domain', async () => {
  const acme = await bench.setUp()
  const { path, domain, owner } = acme
  const { as: olga } = await bench.signIn(acme.connection, `olga@${domain}`)
  assert.ok(olga)
  const id = (await domainsOf(path, owner.as)).get(domain) ?? ''
  assert.equal((await removeDomain(path, owner.as, id)).status, 204)
  await bench.console_.postgres.database
    .updateTable('memberships')
    .set({ role: 'owner' })
    .where('organization_id', '=', acme.organizationId)
    .execute()
  const body = { sso_only: true, second_factor_required: false }
  const set = await ask(bench.console_.root, 'PUT', `${path}/sign-in`, { as: olga, body })
  assert.equal(set.body.error.code, 'conflict', set.text)
})

test('an operator lifts "only SSO"; the owners see it, and sign in with a password', async () => {
  const acme = await bench.setUp()
  const { path, owner, organizationId } = acme
  await requireSso(acme)
  assert.equal((await bench.enter(path, owner.as)).body.error.code, 'role_required')
  const address = `/operator/organizations/${organizationId}/sso-only`
  const lift = (as: Headers) => ask(bench.console_.root, 'DELETE', address, { as, body: {} })
  assert.equal((await lift(owner.as)).body.error.code, 'role_required')
  const operator = await bench.console_.openPerson({ platformRole: 'operator' })
  assert.equal((await lift(operator.as)).status, 204)
  assert.equal((await bench.enter(path, owner.as)).status, 200)
  const events = await ask(bench.console_.root, 'GET', `${path}/audit-events`, { as: owner.as })
  const [event] = events.body.data
  assert.equal(event?.['action'], 'sign_in_rules.set')
  assert.deepEqual(event['changes'], { sso_only: [true, false] })
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

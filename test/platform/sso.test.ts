import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused, startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

test('the first sign-in creates an account with the default role in the organization', async () => {
  const { organizationId, domain, connection, path } = await bench.setUp()
  const email = `ann@${domain}`
  bench.provider.people.set('ann', { email, name: 'Ann\u0007 Example' })
  const first = await bench.signIn(connection, 'ann', { to: '/keys' })
  assert.equal(first.to, '/keys')
  const [account, ...others] = await bench.accountsOf(email)
  assert.equal(others.length, 0)
  assert.equal(account?.organization_id, organizationId)
  assert.deepEqual([account.role, account.state, account.name], ['member', 'active', 'Ann Example'])
  assert.equal((await bench.enter(path, first.as)).status, 200)
  const second = await bench.signIn(connection, 'ann')
  assert.equal((await bench.enter(path, second.as)).status, 200)
  assert.equal((await bench.accountsOf(email)).length, 1)
})

test('a path of another site is not where the sign-in ends', async () => {
  const { connection, domain } = await bench.setUp()
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', '/%2f/evil']) {
    const login = `to@${domain}`
    const { to: end } = await bench.signIn(connection, login, { to })
    assert.equal(end, '/', to)
  }
})

test('a sign-in needs a verified address in ASCII, of a domain of the organization', async () => {
  const { connection, domain } = await bench.setUp()
  bench.provider.people.set('unverified', { email: `bob@${domain}`, email_verified: false })
  assertRefused(await bench.signIn(connection, 'unverified'), 'email_unverified')
  const elsewhere = await bench.setUp()
  assertRefused(await bench.signIn(connection, `bob@${elsewhere.domain}`), 'domain_unverified')
  assertRefused(await bench.signIn(connection, 'bob@never-verified.example'), 'domain_unverified')
  assertRefused(await bench.signIn(connection, `bob@sub.${domain}`), 'domain_unverified')
  bench.provider.people.set('dotted', { email: `b\u0130b@${domain}` })
  assertRefused(await bench.signIn(connection, 'dotted'), 'email_unverified')
  for (const email of [`bob@${domain}`, `bob@${elsewhere.domain}`])
    assert.equal((await bench.accountsOf(email)).length, 0)
})

test('a state works once, and in the browser that began', async () => {
  const { connection, domain } = await bench.setUp()
  const login = `carol@${domain}`
  const first = await bench.start(connection)
  const callback = await bench.provider.signIn(first.url, login)
  const other = await bench.start(connection)
  assertRefused(await bench.finish(callback, other.cookie), 'invalid')
  // The attempt of the other browser has used it up.
  assertRefused(await bench.finish(callback, first.cookie), 'invalid')
  const second = await bench.start(connection)
  const used = await bench.provider.signIn(second.url, login)
  assert.notEqual((await bench.finish(used, second.cookie)).as, null)
  assertRefused(await bench.finish(used, second.cookie), 'invalid')
  assertRefused(await bench.finish(used, ''), 'invalid')
  const third = await bench.start(connection)
  const forged = new URL(await bench.provider.signIn(third.url, login))
  forged.searchParams.set('state', 'x'.repeat(43))
  assertRefused(await bench.finish(forged.href, third.cookie), 'invalid')
})

test('an answer with another nonce or issuer, or an error, is refused', async () => {
  const { connection, domain } = await bench.setUp()
  const login = `dave@${domain}`
  const nonce = await bench.start(connection)
  const changed = new URL(nonce.url)
  changed.searchParams.set('nonce', 'of-another-sign-in')
  assertRefused(
    await bench.finish(await bench.provider.signIn(changed.href, login), nonce.cookie),
    'invalid',
  )
  const issuer = await bench.start(connection)
  const callback = new URL(await bench.provider.signIn(issuer.url, login))
  callback.searchParams.set('iss', 'https://evil.example')
  assertRefused(await bench.finish(callback.href, issuer.cookie), 'invalid')
  const denied = await bench.start(connection)
  const { searchParams } = new URL(denied.url)
  const redirectUri = searchParams.get('redirect_uri')
  const error = `${redirectUri}?error=access_denied&state=${searchParams.get('state')}`
  assertRefused(await bench.finish(error, denied.cookie), 'invalid')
  assert.equal((await bench.accountsOf(login)).length, 0)
})

test('a provider signs in an existing account only if it is a member', async () => {
  const { connection, domain, organizationId } = await bench.setUp()
  const { database } = bench.console_.postgres
  const email = `erin@${domain}`
  const erin = await bench.console_.openPerson()
  await database.updateTable('accounts').set({ email }).where('id', '=', erin.accountId).execute()
  assertRefused(await bench.signIn(connection, email), 'not_a_member')
  await database
    .insertInto('memberships')
    .values({ organization_id: organizationId, account_id: erin.accountId, role: 'viewer' })
    .execute()
  assert.notEqual((await bench.signIn(connection, email.toUpperCase())).as, null)
  assert.deepEqual(
    (await bench.accountsOf(email)).map(({ id, role }) => [id, role]),
    [[erin.accountId, 'viewer']],
  )
  await database
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('account_id', '=', erin.accountId)
    .execute()
  assertRefused(await bench.signIn(connection, email.toUpperCase()), 'not_a_member')
})

test('a provider has no power over an account that left its domains or is restricted', async () => {
  const { connection, domain } = await bench.setUp()
  const { database } = bench.console_.postgres
  bench.provider.people.set('frank', { email: `frank@${domain}` })
  assert.notEqual((await bench.signIn(connection, 'frank')).as, null)
  const [{ id } = { id: '' }] = await bench.accountsOf(`frank@${domain}`)
  const accounts = () => database.updateTable('accounts').where('id', '=', id)
  await accounts().set({ state: 'restricted' }).execute()
  assertRefused(await bench.signIn(connection, 'frank'), 'account_restricted')
  await accounts()
    .set({ state: 'active', email: `frank-${id}@private.example` })
    .execute()
  assertRefused(await bench.signIn(connection, 'frank'), 'domain_unverified')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { storeIdentity } from '../../src/store/sign-in/sso-identities.ts'
import { ask, openSession, type Headers } from '../harness/processes/console.ts'
import { LOGOUT_EVENT as EVENT, startLogoutSigner } from '../harness/servers/logout-signer.ts'
import { startSsoBench, type SsoOrganization } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

async function tell(connection: string, token: string) {
  const answer = await fetch(`${bench.console_.root}/sso/${connection}/backchannel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  })
  const text = await answer.text()
  return { status: answer.status, text, cache: answer.headers.get('cache-control') }
}

const me = async (as: Headers | null) =>
  (await ask(bench.console_.root, 'GET', '/me', { as: as ?? {} })).status

test('who signs out at the provider is signed out here at the next call', async () => {
  const { connection, domain } = await bench.setUp()
  const email = `jane@${domain}`
  const elsewhere = await bench.signIn(connection, email)
  const { as } = await bench.signIn(connection, email)
  const other = await bench.signIn(connection, `john@${domain}`)
  const [{ id } = { id: '' }] = await bench.accountsOf(email)
  const byPassword = await openSession(bench.console_.postgres, id)
  assert.deepEqual([await me(as), await me(elsewhere.as), await me(other.as)], [200, 200, 200])
  const told = await bench.provider.signOut(email)
  const own = told.filter(({ uri }) => uri.includes(connection))
  assert.deepEqual(
    own.map(({ status }) => status),
    [200],
  )
  assert.equal(await me(as), 401)
  // Another browser, another person, and a session that the provider never vouched for.
  const left = [await me(elsewhere.as), await me(other.as), await me(byPassword)]
  assert.deepEqual(left, [200, 200, 200])
})

test('400: a logout token works once', async () => {
  const { connection, domain, organizationId } = await bench.setUp()
  const email = `once@${domain}`
  await bench.signIn(connection, email)
  const told = await bench.provider.signOut(email)
  const { token } = told.find(({ uri }) => uri.includes(connection))!
  const again = await tell(connection, token)
  assert.deepEqual([again.status, again.cache], [400, 'no-store'])
  const events = await bench.console_.postgres.database
    .selectFrom('audit_events')
    .select(['actor_label', 'changes'])
    .where('organization_id', '=', organizationId)
    .where('action', '=', 'session.end')
    .execute()
  assert.deepEqual(events, [
    {
      actor_label: 'identity provider',
      changes: { sessions_ended: [null, 1], subject: [null, email] },
    },
  ])
})

test('404 and 415: only forms, and only connections that there are', async () => {
  const { connection } = await bench.setUp()
  assert.equal((await tell(crypto.randomUUID(), 'x')).status, 404)
  assert.equal((await tell('x', 'x')).status, 404)
  assert.equal((await tell(connection, 'x')).status, 400)
  const path = `/sso/${connection}/backchannel-logout`
  const body = { logout_token: 'x' }
  assert.equal((await ask(bench.console_.root, 'POST', path, { body })).status, 415)
})

async function connectTo(issuer: string, { path, owner }: SsoOrganization): Promise<string> {
  const made = await bench.connect(path, owner.as, { issuer })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

test('400: each claim of a logout token is checked, and its signature', async () => {
  await using signer = await startLogoutSigner()
  const { issuer, sign, seen } = signer
  const organization = await bench.setUp()
  const connection = await connectTo(issuer, organization)
  const { database } = bench.console_.postgres
  const subject = 'subject'
  await storeIdentity(database, connection, subject, organization.owner.accountId)
  const now = Math.floor(Date.now() / 1_000)
  const good = () => ({
    iss: issuer,
    aud: bench.provider.clientId,
    iat: now,
    jti: crypto.randomUUID(),
    events: { [EVENT]: {} },
    sub: subject,
  })
  const { privateKey: strangers } = await generateKeyPair('RS256')
  const without = (name: string) => ({ ...good(), [name]: undefined })
  const bad: Readonly<Record<string, Promise<string> | string>> = {
    'another issuer': sign({ ...good(), iss: 'https://else.example' }),
    'another client': sign({ ...good(), aud: 'else' }),
    'too old': sign({ ...good(), iat: now - 700 }),
    'from the future': sign({ ...good(), iat: now + 120 }),
    expired: sign({ ...good(), exp: now - 60 }),
    'no time': sign(without('iat')),
    'no id': sign(without('jti')),
    'no event': sign({ ...good(), events: {} }),
    'no events': sign(without('events')),
    'an event that is no object': sign({ ...good(), events: { [EVENT]: true } }),
    'a nonce': sign({ ...good(), nonce: 'n' }),
    'names nobody': sign(without('sub')),
    'an access token': sign(good(), undefined, { typ: 'at+jwt' }),
    'key of a stranger': sign(good(), strangers),
    'no signature': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
      JSON.stringify(good()),
    ).toString('base64url')}.`,
    'a shared secret': new SignJWT(good())
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(bench.provider.clientSecret)),
  }
  for (const [what, token] of Object.entries(bad)) {
    const { status, text } = await tell(connection, await token)
    assert.equal(status, 400, `${what}: ${text}`)
  }
  assert.equal(await me(organization.owner.as), 200)
  assert.equal((await tell(connection, await sign(good()))).status, 200)
  assert.equal(await me(organization.owner.as), 200, 'it did not come from the provider')
  const unknown = await sign({ ...good(), sub: 'unknown' })
  assert.equal((await tell(connection, unknown)).status, 200)
  assert.equal(seen.keys, 1, 'keys are kept for a while')
})

test('by the session the provider ends one, by the subject all of its connection', async () => {
  await using signer = await startLogoutSigner()
  const { issuer, sign } = signer
  const organization = await bench.setUp()
  const connection = await connectTo(issuer, organization)
  const stranger = await connectTo(issuer, await bench.setUp())
  const { postgres } = bench.console_
  const { accountId } = organization.owner
  await storeIdentity(postgres.database, connection, 'subject', accountId)
  const open = async (sid: string | null, through: string) => {
    const as = await openSession(postgres, accountId)
    const latest = postgres.database
      .selectFrom('sessions')
      .select('id')
      .where('account_id', '=', accountId)
      .orderBy('id', 'desc')
      .limit(1)
    await postgres.database
      .updateTable('sessions')
      .set({ methods: [`sso:${through}`], sso_sid: sid === null ? null : `${through}:${sid}` })
      .where('id', '=', latest)
      .execute()
    return as
  }
  const one = await open('one', connection)
  const two = await open('two', connection)
  const unnamed = await open(null, connection)
  const foreign = await open('one', stranger)
  const token = (names: object) =>
    sign({
      iss: issuer,
      aud: bench.provider.clientId,
      iat: Math.floor(Date.now() / 1_000),
      jti: crypto.randomUUID(),
      events: { [EVENT]: {} },
      ...names,
    })
  const all = async () => [await me(one), await me(two), await me(unnamed), await me(foreign)]
  assert.equal((await tell(connection, await token({ sid: 'one' }))).status, 200)
  assert.deepEqual(await all(), [401, 200, 200, 200])
  await tell(connection, await token({ sid: 'nothing', sub: 'unknown' }))
  assert.deepEqual(await all(), [401, 200, 200, 200])
  await tell(connection, await token({ sid: 'nothing', sub: 'subject' }))
  assert.deepEqual(await all(), [401, 200, 401, 200])
  await tell(connection, await token({ sub: 'subject' }))
  assert.deepEqual(await all(), [401, 401, 401, 200])
})

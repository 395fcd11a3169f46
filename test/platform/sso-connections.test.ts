import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { after, test } from 'node:test'
import { ask, PUBLIC_URL, startConsole } from '../harness/processes/console.ts'
import { startIdentityProvider } from '../harness/servers/oidc.ts'
import { startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

test('a domain counts after its DNS record was seen, for one organization', async () => {
  const { path, owner, domain } = await bench.setUp()
  const other = await bench.console_.openOrganization()
  const person = await bench.console_.openPerson({ organizationId: other.id, role: 'owner' })
  const elsewhere = `/organizations/${other.id}`
  const taken = await bench.verify(elsewhere, person.as, domain)
  assert.equal(taken.body.error.code, 'conflict')
  const fresh = await ask(bench.console_.root, 'POST', `${path}/domains`, {
    as: owner.as,
    body: { domain: `NEW-${domain}` },
  })
  const address = `${path}/domains/${fresh.body.id}/verify`
  const early = await ask(bench.console_.root, 'POST', address, { as: owner.as, body: {} })
  assert.equal(early.body.error.code, 'conflict')
  const foreign = `${elsewhere}/domains/${fresh.body.id}/verify`
  assert.equal(
    (await ask(bench.console_.root, 'POST', foreign, { as: person.as, body: {} })).status,
    404,
  )
  const faulty = await ask(bench.console_.root, 'POST', `${path}/domains`, {
    as: owner.as,
    body: { domain: 'localhost' },
  })
  assert.equal(faulty.body.error.param, 'domain')
  bench.dns.records.set(`_headrace.new-${domain}`, 'fail')
  const down = await ask(bench.console_.root, 'POST', address, { as: owner.as, body: {} })
  assert.equal(down.status, 503)
})

test('with the default settings the DNS servers of the system are asked', async () => {
  await using plain = await startConsole()
  const organization = await plain.openOrganization()
  const owner = await plain.openPerson({ organizationId: organization.id, role: 'owner' })
  const path = `/organizations/${organization.id}/domains`
  const domain = `${crypto.randomUUID()}.invalid`
  const added = await ask(plain.root, 'POST', path, { as: owner.as, body: { domain } })
  const address = `${path}/${added.body.id}/verify`
  const answer = await ask(plain.root, 'POST', address, { as: owner.as, body: {} })
  // A machine without DNS is the only reason for 503: the system's own resolver tells.
  const system = new Resolver({ timeout: 2_000, tries: 2 }).resolveTxt(`_headrace.${domain}`)
  const isAbsent = await system.then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOTFOUND' || code === 'ENODATA',
  )
  assert.equal(answer.status, isAbsent ? 409 : 503, answer.text)
})

test('a connection shows no secret and belongs to its organization', async () => {
  const { path, owner, connection, domain } = await bench.setUp()
  await bench.signIn(connection, `nina@${domain}`)
  const address = `${path}/sso-connections/${connection}`
  const listed = await ask(bench.console_.root, 'GET', `${path}/sso-connections`, { as: owner.as })
  assert.equal(listed.body.data[0]?.id, connection)
  const redirectUri = `${PUBLIC_URL}/management/v1/sso/callback/${connection}`
  assert.equal(listed.body.data[0]['redirect_uri'], redirectUri)
  assert.ok(!listed.text.includes(bench.provider.clientSecret))
  const stored = await bench.console_.postgres.database
    .selectFrom('sso_connections')
    .selectAll()
    .execute()
  assert.ok(!stored.some((row) => row.sealed_secret.includes(bench.provider.clientSecret)))
  const other = await bench.setUp()
  for (const method of ['PATCH', 'DELETE']) {
    const foreign = `${other.path}/sso-connections/${connection}`
    const answer = await ask(bench.console_.root, method, foreign, { as: other.owner.as, body: {} })
    assert.equal(answer.status, 404, method)
  }
  await using second = await startIdentityProvider()
  const body = { issuer: second.issuer }
  const changed = await ask(bench.console_.root, 'PATCH', address, { as: owner.as, body })
  assert.equal(changed.status, 200, changed.text)
  const links = await bench.console_.postgres.database
    .selectFrom('sso_identities')
    .where('connection_id', '=', connection)
    .selectAll()
    .execute()
  assert.deepEqual(links, [])
  const removed = await ask(bench.console_.root, 'DELETE', address, { as: owner.as, body: {} })
  assert.equal(removed.status, 204)
  const gone = await ask(bench.console_.root, 'POST', `/sso/${connection}/start`, {
    as: { origin: PUBLIC_URL },
    body: {},
  })
  assert.equal(gone.status, 404)
})

test('the redirect URI is known before, used once, and belongs to one organization', async () => {
  const { path, owner, connection } = await bench.setUp()
  const next = async () =>
    (await ask(bench.console_.root, 'GET', `${path}/sso-connections/next`, { as: owner.as })).body
  const shown = await next()
  assert.notEqual(shown.id, connection)
  assert.deepEqual(await next(), shown)
  const stranger = await bench.setUp()
  const stolen = await bench.connect(stranger.path, stranger.owner.as, { id: shown.id })
  assert.equal(stolen.body.error.code, 'conflict')
  const taken = await bench.connect(path, owner.as, { id: connection })
  assert.equal(taken.body.error.code, 'conflict')
  const both = await Promise.all([1, 2].map(() => bench.connect(path, owner.as, { id: shown.id })))
  const made = both.filter(({ status }) => status === 201)
  assert.deepEqual(
    made.map(({ body }) => body['redirect_uri']),
    [shown['redirect_uri']],
  )
  assert.notEqual((await next()).id, shown.id)
  const malformed = await bench.connect(path, owner.as, { id: 'mine' })
  assert.equal(malformed.body.error.param, 'id')
})

test('an issuer that is no provider, or in a private network, is refused by name', async () => {
  const { path, owner } = await bench.setUp()
  const wrong = await bench.connect(path, owner.as, {
    issuer: `${bench.provider.issuer}/elsewhere`,
  })
  assert.equal(wrong.body.error.param, 'issuer')
  await using strict = await startConsole()
  const organization = await strict.openOrganization()
  const person = await strict.openPerson({ organizationId: organization.id, role: 'owner' })
  for (const issuer of [bench.provider.issuer, 'https://localhost:1', 'https://169.254.169.254']) {
    const body = { name: 'x', issuer, client_id: 'x', client_secret: 'x' }
    const answer = await ask(
      strict.root,
      'POST',
      `/organizations/${organization.id}/sso-connections`,
      { as: person.as, body },
    )
    assert.equal(answer.body.error.param, 'issuer', issuer)
  }
})

test('only owners with a recent confirmation change how people sign in', async () => {
  const { path, organizationId } = await bench.setUp()
  const admin = await bench.console_.openPerson({ organizationId, role: 'admin' })
  assert.equal((await bench.connect(path, admin.as)).body.error.code, 'role_required')
  const late = await bench.console_.openPerson({ organizationId, role: 'owner', confirmed: false })
  assert.equal((await bench.connect(path, late.as)).body.error.code, 'confirmation_required')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, PUBLIC_URL, type Headers } from '../harness/processes/console.ts'
import { startHostileProvider } from '../harness/servers/hostile-oidc.ts'
import { assertRefused, startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

const begin = (connection: string, as: Headers) =>
  ask(bench.console_.root, 'POST', `/sso/${connection}/start`, { as, body: {} })

test('a sign-in begins from a page of the console only, not from another site', async () => {
  const { connection } = await bench.setUp()
  const foreign: readonly Headers[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: PUBLIC_URL },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    {},
  ]
  for (const as of foreign) {
    const answer = await begin(connection, as)
    assert.equal(answer.body.error.code, 'cross_origin', JSON.stringify(as))
  }
  const link = await ask(bench.console_.root, 'GET', `/sso/${connection}/start`, { as: {} })
  assert.equal(link.status, 405)
  assert.equal((await begin(connection, { origin: PUBLIC_URL })).status, 200)
})

test('SSO does not replace a session of another account', async () => {
  const { connection, domain, path } = await bench.setUp()
  const victim = await bench.setUp()
  const { url, cookie } = await bench.start(connection)
  const callback = await bench.provider.signIn(url, `helpdesk@${domain}`)
  const finished = await bench.finish(callback, `${victim.owner.as['cookie']}; ${cookie}`)
  assertRefused(finished, 'other_session')
  assert.equal((await bench.enter(victim.path, victim.owner.as)).status, 200)
  assert.equal((await bench.accountsOf(`helpdesk@${domain}`)).length, 0)
  // The same person may sign in again, and gets a new session.
  const first = await bench.signIn(connection, `ann@${domain}`)
  const again = await bench.start(connection)
  const second = await bench.finish(
    await bench.provider.signIn(again.url, `ann@${domain}`),
    `${first.as?.['cookie']}; ${again.cookie}`,
  )
  assert.equal((await bench.enter(path, second.as)).status, 200)
  assert.equal((await bench.enter(path, first.as)).status, 401)
})

test('a provider that does not answer is 503', async () => {
  const { path, owner } = await bench.setUp()
  const provider = await startHostileProvider()
  const connected = await bench.connect(path, owner.as, { issuer: provider.issuer })
  await provider[Symbol.asyncDispose]()
  const answer = await begin(connected.body.id, { origin: PUBLIC_URL })
  assert.equal(answer.status, 503, answer.text)
})

test('a provider whose address would run as a script is refused', async () => {
  const { path, owner } = await bench.setUp()
  const endpoint = { authorization_endpoint: 'javascript:alert(document.domain)//' }
  await using provider = await startHostileProvider(endpoint)
  const connected = await bench.connect(path, owner.as, { issuer: provider.issuer })
  assert.equal(connected.status, 201, connected.text)
  const answer = await begin(connected.body.id, { origin: PUBLIC_URL })
  assert.equal(answer.status, 503, answer.text)
  assert.ok(!answer.text.includes('javascript'))
})

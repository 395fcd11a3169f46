import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { startHostileProvider } from '../harness/servers/hostile-oidc.ts'
import { assertRefused, startSsoBench, type SsoOrganization } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench({ withoutIss: true })
const hostile = await startHostileProvider()
endWithFile(hostile, bench)

/** Another organization, which needs no domain, connects the hostile provider. */
async function connectHostile(): Promise<string> {
  const { path, owner } = await bench.setUp()
  const { issuer } = hostile
  const connected = await bench.connect(path, owner.as, { issuer })
  assert.equal(connected.status, 201, connected.text)
  return connected.body.id
}

/** The attacker begins at the good provider, and has a victim sent there with this sign-in. */
async function lureVictim({ connection, domain }: SsoOrganization) {
  const attacker = await bench.start(connection)
  hostile.target = attacker.url
  const victim = await bench.start(await connectHostile())
  return { attacker, victim, login: `ceo@${domain}` }
}

test('a provider that sends no issuer signs people in', async () => {
  const { connection, domain, path } = await bench.setUp()
  const { url } = await bench.start(connection)
  const callback = await bench.provider.signIn(url, `ann@${domain}`)
  assert.equal(new URL(callback).searchParams.get('iss'), null)
  const { as } = await bench.signIn(connection, `ann@${domain}`)
  assert.equal((await bench.enter(path, as)).status, 200)
})

test('a code of one provider is never sent to the provider of another connection', async () => {
  const good = await bench.setUp()
  const { attacker, victim, login } = await lureVictim(good)
  const callback = await bench.provider.signIn(victim.url, login)
  assertRefused(await bench.finish(callback, victim.cookie), 'invalid')
  assert.deepEqual(hostile.codes, [])
  // The attacker has no code, and the victim's is void for the attacker's state as well.
  const { searchParams } = new URL(attacker.url)
  const forged = new URL(callback)
  forged.searchParams.set('state', searchParams.get('state') ?? '')
  forged.searchParams.set('code', hostile.codes[0] ?? 'unknown')
  assertRefused(await bench.finish(forged.href, attacker.cookie), 'invalid')
  assert.equal((await bench.accountsOf(login)).length, 0)
})

test('the good provider does not return people to the address of another connection', async () => {
  const good = await bench.setUp()
  const { victim, login } = await lureVictim(good)
  const own = new URL(victim.url).searchParams.get('redirect_uri') ?? ''
  const target = new URL(hostile.target)
  target.searchParams.set('redirect_uri', own)
  hostile.target = target.href
  await assert.rejects(bench.provider.signIn(victim.url, login), /answered 400/)
})

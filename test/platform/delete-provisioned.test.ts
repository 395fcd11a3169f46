import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, openSession } from '../harness/processes/console.ts'
import { findText } from '../harness/servers/find-text.ts'
import { setUpScim } from '../harness/servers/scim.ts'
import { startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

test('who deletes their account is gone for the provider, and may be created anew', async () => {
  const { scim, domain } = await setUpScim(bench)
  const { root, postgres } = bench.console_
  const email = `leaver@${domain}`
  const familyName = `Name${crypto.randomUUID()}`
  const id = await scim.create(email, { name: { familyName } })
  const group = { displayName: 'Team', members: [{ value: id }] }
  assert.equal((await scim.ask('POST', '/Groups', group)).status, 201)
  const as = await openSession(postgres, id)
  const deleted = await ask(root, 'DELETE', '/me', { as })
  assert.equal(deleted.status, 204, deleted.text)
  assert.equal((await scim.ask('GET', `/Users/${id}`)).status, 404)
  assert.deepEqual(await findText(postgres.database, familyName), [])
  assert.notEqual(await scim.create(email), id)
})

test('tokens, users and groups of a deleted organization are gone at the next call', async () => {
  const { scim, domain, path, owner } = await setUpScim(bench)
  const { root, postgres } = bench.console_
  const familyName = `Name${crypto.randomUUID()}`
  await scim.create(`member@${domain}`, { name: { familyName } })
  assert.equal((await scim.ask('GET', '/Users')).status, 200)
  const ended = await ask(root, 'DELETE', path, { as: owner.as })
  assert.equal(ended.status, 204, ended.text)
  assert.equal((await scim.ask('GET', '/Users')).status, 401)
  // The account stays: it is the person's.
  assert.deepEqual(await findText(postgres.database, familyName), ['accounts'])
})

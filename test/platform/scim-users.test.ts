import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '../../src/store/tenants/accounts.ts'
import { ask } from '../harness/processes/console.ts'
import { scimRootOf, setUpScim } from '../harness/servers/scim.ts'
import { startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

test('201: a user is a member with a new account, and is found by each filter', async () => {
  const { scim, domain, organizationId } = await setUpScim(bench)
  const userName = `Jane@${domain}`
  const made = await scim.ask('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    externalId: '701984',
    name: { givenName: 'Jane', familyName: 'Doe' },
    emails: [{ value: `jane.doe@${domain}`, type: 'work', primary: true }],
    active: true,
    title: 'not kept',
  })
  assert.equal(made.status, 201, made.text)
  assert.equal(made.headers['content-type'], 'application/scim+json; charset=utf-8')
  const { id } = made.body
  const { meta } = made.body as unknown as { meta: Record<string, string> }
  assert.equal(made.headers['location'], meta['location'])
  assert.deepEqual(made.body['emails'], [
    { value: `jane.doe@${domain}`, type: 'work', primary: true },
  ])
  assert.equal(made.body['title'], undefined)
  const [account] = await bench.accountsOf(`jane.doe@${domain}`)
  assert.deepEqual(
    [account?.id, account?.name, account?.organization_id, account?.role],
    [id, 'Jane Doe', organizationId, 'member'],
  )
  for (const filter of [
    `userName eq "${userName.toLowerCase()}"`,
    'externalId eq "701984"',
    `id eq "${id}"`,
  ]) {
    const found = await scim.ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    assert.equal(found.body['totalResults'], 1, filter)
    assert.deepEqual(found.body['Resources'], [made.body])
  }
  const none = await scim.ask('GET', `/Users?filter=${encodeURIComponent('userName eq "x"')}`)
  assert.deepEqual([none.body['totalResults'], none.body['Resources']], [0, []])
  assert.deepEqual((await scim.ask('GET', `/Users/${id}`)).body, made.body)
})

test('pages have a start and a length, and say how many there are', async () => {
  const { scim, domain } = await setUpScim(bench)
  const ids = [
    await scim.create(`a@${domain}`),
    await scim.create(`b@${domain}`),
    await scim.create(`c@${domain}`),
  ]
  const page = async (query: string) => {
    const { body } = await scim.ask('GET', `/Users?${query}`)
    const shown = body['Resources'] as { id: string }[]
    return [body['totalResults'], body['startIndex'], shown.map(({ id }) => ids.indexOf(id))]
  }
  assert.deepEqual(await page('startIndex=2&count=1'), [3, 2, [1]])
  assert.deepEqual(await page('startIndex=0&count=-5'), [3, 1, []])
  assert.deepEqual(await page('startIndex=9'), [3, 9, []])
  assert.deepEqual(await page('count=1000'), [3, 1, [0, 1, 2]])
})

test('400: an address outside the verified domains of the organization is refused', async () => {
  const { scim } = await setUpScim(bench)
  const { domain: foreign } = await setUpScim(bench)
  const victim = await bench.console_.openPerson()
  for (const userName of [
    victim.email,
    `new@${foreign}`,
    'new@nobody.example',
    `a@b@${foreign}`,
    'no-address',
  ]) {
    const refused = await scim.ask('POST', '/Users', { userName })
    assert.deepEqual(
      [refused.status, refused.body['scimType'], refused.body['schemas']],
      [400, 'invalidValue', [ERROR]],
      userName,
    )
  }
  const hidden = await scim.ask('POST', '/Users', {
    userName: 'x',
    emails: [{ value: victim.email, primary: true }],
  })
  assert.equal(hidden.status, 400)
})

test('409: an account whose address was never confirmed is not linked', async () => {
  const { scim, domain } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const email = `squatted@${domain}`
  await createAccount(database, { email, state: 'active', registered: true })
  assert.equal((await scim.ask('POST', '/Users', { userName: email })).status, 409)
  const [account] = await bench.accountsOf(email)
  assert.equal(account?.organization_id, null)
})

test('409: a user name and an account belong to one user', async () => {
  const { scim, domain } = await setUpScim(bench)
  await scim.create(`one@${domain}`)
  const again = await scim.ask('POST', '/Users', { userName: `ONE@${domain}` })
  assert.deepEqual([again.status, again.body['scimType']], [409, 'uniqueness'])
  const other = await scim.create(`two@${domain}`)
  const taken = await scim.patch(`/Users/${other}`, {
    op: 'replace',
    value: { userName: `one@${domain}` },
  })
  assert.deepEqual([taken.status, taken.body['scimType']], [409, 'uniqueness'])
})

test('users of other organizations and members elsewhere do not exist', async () => {
  const { scim, organizationId } = await setUpScim(bench)
  const other = await setUpScim(bench)
  const theirs = await other.scim.create(`them@${other.domain}`)
  const outside = await bench.console_.openPerson({ organizationId, role: 'member' })
  for (const id of [theirs, outside.accountId, crypto.randomUUID(), 'x'])
    for (const [method, body] of [
      ['GET', undefined],
      ['DELETE', undefined],
      ['PUT', { userName: 'a' }],
      ['PATCH', { Operations: [{ op: 'replace', path: 'active', value: false }] }],
    ] as const) {
      const answer = await scim.ask(method, `/Users/${id}`, body)
      assert.deepEqual([answer.status, answer.body['status']], [404, '404'], `${method} ${id}`)
    }
  const all = await scim.ask('GET', '/Users')
  assert.equal(all.body['totalResults'], 0)
})

test('a member who was there before is found and linked, and keeps their role', async () => {
  const { scim, domain, connection, organizationId, path, owner } = await setUpScim(bench)
  const email = `earlier@${domain}`
  await bench.signIn(connection, email)
  const [account] = await bench.accountsOf(email)
  const id = account!.id
  const as = owner.as
  await ask(bench.console_.root, 'PATCH', `${path}/members/${id}`, { as, body: { role: 'admin' } })
  const filter = encodeURIComponent(`userName eq "${email}"`)
  const found = await scim.ask('GET', `/Users?filter=${filter}`)
  assert.equal(found.body['totalResults'], 1)
  const put = await scim.ask('PUT', `/Users/${id}`, { userName: email, externalId: '7' })
  assert.deepEqual([put.status, put.body['externalId'], put.body['active']], [200, '7', true])
  const [linked] = await bench.accountsOf(email)
  assert.deepEqual([linked?.organization_id, linked?.role], [organizationId, 'admin'])
})

test('PATCH: each way of Entra ID and Okta to change a user does the same', async () => {
  const { scim, domain } = await setUpScim(bench)
  const id = await scim.create(`shapes@${domain}`)
  const shapes: readonly [object, boolean][] = [
    [{ op: 'Replace', path: 'active', value: 'False' }, false],
    [{ op: 'Add', path: 'active', value: 'True' }, true],
    [{ op: 'replace', value: { active: false } }, false],
    [{ op: 'replace', value: { active: true } }, true],
    [{ op: 'replace', value: { active: 'False', 'name.givenName': 'Ada' } }, false],
    [
      {
        op: 'replace',
        path: 'urn:ietf:params:scim:schemas:core:2.0:User:active',
        value: true,
      },
      true,
    ],
  ]
  for (const [operation, active] of shapes) {
    const answer = await scim.patch(`/Users/${id}`, operation)
    const text = JSON.stringify(operation)
    assert.deepEqual([answer.status, answer.body['active']], [200, active], text)
  }
  const more = await scim.patch(
    `/Users/${id}`,
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'else@nobody.example' },
    { op: 'Replace', path: 'name.familyName', value: 'Lovelace' },
    {
      op: 'Add',
      path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
      value: 'x',
    },
    { op: 'Remove', path: 'displayName' },
    { op: 'Replace', path: 'externalId', value: 'e-1' },
  )
  assert.equal(more.status, 200, more.text)
  assert.deepEqual(
    [more.body['name'], more.body['externalId'], more.body['emails']],
    [
      { givenName: 'Ada', familyName: 'Lovelace' },
      'e-1',
      [{ value: `shapes@${domain}`, type: 'work', primary: true }],
    ],
  )
  for (const [operation, scimType] of [
    [{ op: 'move', path: 'active' }, 'invalidValue'],
    [{ op: 'remove' }, 'invalidPath'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'replace', path: 'a b', value: 1 }, 'invalidPath'],
    [{ op: 'remove', path: 'userName' }, 'invalidValue'],
  ] as const) {
    const refused = await scim.patch(`/Users/${id}`, operation)
    assert.deepEqual([refused.status, refused.body['scimType']], [400, scimType])
  }
})

test('no request changes the address, the name or the password of an account', async () => {
  const { scim, domain } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const id = await scim.create(`fixed@${domain}`, { displayName: 'Fixed' })
  const read = () =>
    database.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
  const untouched = await read()
  const attack = {
    userName: `renamed@${domain}`,
    displayName: 'Other',
    password: 'a new password 123',
    emails: [{ value: `renamed@${domain}`, primary: true }],
  }
  assert.equal((await scim.ask('PUT', `/Users/${id}`, attack)).status, 200)
  assert.equal((await scim.patch(`/Users/${id}`, { op: 'replace', value: attack })).status, 200)
  assert.deepEqual(await read(), untouched)
  const found = await scim.ask('GET', `/Users/${id}`)
  assert.equal(found.body['userName'], `renamed@${domain}`)
})

test('400: other filters are refused as such; 501 and 405 are in the form of SCIM', async () => {
  const { scim } = await setUpScim(bench)
  for (const filter of [
    'userName co "a"',
    'password eq "a"',
    'userName eq a',
    'userName eq "\\u0000"',
  ]) {
    const refused = await scim.ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    assert.deepEqual([refused.status, refused.body['scimType']], [400, 'invalidFilter'], filter)
  }
  for (const [method, path, status] of [
    ['POST', '/.search', 501],
    ['POST', '/Bulk', 501],
    ['GET', '/Me', 501],
    ['POST', '/Schemas', 405],
    ['GET', '/nothing', 404],
  ] as const) {
    const answer = await scim.ask(method, path, method === 'GET' ? undefined : {})
    assert.deepEqual([answer.status, answer.body['schemas']], [status, [ERROR]], path)
    assert.equal(answer.headers['content-type'], 'application/scim+json; charset=utf-8')
  }
})

test('401: SCIM accepts SCIM tokens only, and they open nothing else', async () => {
  const { scim, owner, path, organizationId, tokenId } = await setUpScim(bench)
  const { root } = bench.console_
  const scopes = ['members:write', 'members:read']
  const facts = { createdBy: owner.accountId, organizationId, scopes }
  const key = await bench.console_.openManagementKey(facts)
  for (const as of [{}, owner.as, key, { authorization: `${scim.as['authorization']}x` }]) {
    const answer = await ask(scimRootOf(root), 'GET', '/Users', { as })
    assert.deepEqual([answer.status, answer.body['schemas']], [401, [ERROR]])
  }
  const managing = await ask(root, 'GET', `${path}/members`, { as: scim.as })
  assert.deepEqual([managing.status, managing.body.error.code], [401, 'invalid_management_key'])
  assert.equal((await scim.ask('GET', '/Users')).status, 200)
  const token = `${path}/scim-tokens/${tokenId}`
  assert.equal((await ask(root, 'DELETE', token, { as: owner.as })).status, 204)
  assert.equal((await scim.ask('GET', '/Users')).status, 401)
})

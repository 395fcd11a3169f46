import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, type Answer } from '../harness/processes/console.ts'
import { setUpScim } from '../harness/servers/scim.ts'
import { startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

/** An organization whose owner has given roles to two groups. */
async function setUpGroups() {
  const set = await setUpScim(bench)
  const { root, postgres } = bench.console_
  const setRoles = (roles: object[]): Promise<Answer> =>
    ask(root, 'PUT', `${set.path}/scim`, { as: set.owner.as, body: { roles } })
  const mapped = await setRoles([
    { group: 'Platform Team', role: 'admin' },
    { group: 'Owners', role: 'owner' },
    { group: 'Readers', role: 'viewer' },
  ])
  assert.equal(mapped.status, 200, mapped.text)
  const roleOf = async (accountId: string) => {
    const row = await postgres.database
      .selectFrom('memberships')
      .select('role')
      .where('organization_id', '=', set.organizationId)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    return row?.role
  }
  const group = async (displayName: string, ...members: string[]) => {
    const body = { displayName, members: members.map((value) => ({ value })) }
    const made = await set.scim.ask('POST', '/Groups', body)
    assert.equal(made.status, 201, made.text)
    return `/Groups/${made.body.id}`
  }
  return { ...set, setRoles, roleOf, group }
}

const membersOf = ({ body }: Answer) =>
  (body['members'] as { value: string }[]).map(({ value }) => value)

test('a group gives the role that an owner chose for its name, and no other', async () => {
  const { scim, domain, roleOf, group } = await setUpGroups()
  const jane = await scim.create(`jane@${domain}`)
  const john = await scim.create(`john@${domain}`)
  await group('owner', jane)
  await group('admin', jane)
  assert.equal(await roleOf(jane), 'member', 'names of roles are nothing special')
  const team = await group('PLATFORM team', jane)
  assert.deepEqual([await roleOf(jane), await roleOf(john)], ['admin', 'member'])
  await group('readers', jane, john)
  assert.deepEqual([await roleOf(jane), await roleOf(john)], ['admin', 'viewer'])
  await scim.ask('DELETE', team)
  assert.equal(await roleOf(jane), 'viewer')
})

test('a rename, a changed list and a changed mapping take effect at once', async () => {
  const { scim, domain, roleOf, group, setRoles } = await setUpGroups()
  const jane = await scim.create(`jane@${domain}`)
  const path = await group('Nothing', jane)
  assert.equal(await roleOf(jane), 'member')
  await scim.patch(path, { op: 'replace', value: { id: 'x', displayName: 'Platform team' } })
  assert.equal(await roleOf(jane), 'admin')
  await setRoles([{ group: 'platform team', role: 'viewer' }])
  assert.equal(await roleOf(jane), 'viewer')
  await setRoles([])
  assert.equal(await roleOf(jane), 'member')
  await setRoles([{ group: 'Platform team', role: 'admin' }])
  assert.equal(await roleOf(jane), 'admin')
  await scim.ask('PUT', path, { displayName: 'Platform team', members: [] })
  assert.equal(await roleOf(jane), 'member')
})

test('PATCH: each way of Entra ID and Okta to change members does the same', async () => {
  const { scim, domain, group } = await setUpGroups()
  const [a, b] = [await scim.create(`a@${domain}`), await scim.create(`b@${domain}`)]
  const path = await group('Shapes')
  const shapes: readonly [object, string[]][] = [
    [{ op: 'Add', path: 'members', value: [{ value: a }] }, [a]],
    [{ op: 'add', value: { members: [{ value: b, display: 'b' }] } }, [a, b]],
    [{ op: 'Remove', path: 'members', value: [{ value: a }] }, [b]],
    [{ op: 'replace', path: 'members', value: [{ value: a }, { value: b }] }, [a, b]],
    [{ op: 'remove', path: `members[value eq "${b}"]` }, [a]],
    [{ op: 'add', path: 'members', value: { value: b } }, [a, b]],
    [{ op: 'remove', path: 'members' }, []],
  ]
  for (const [operation, members] of shapes) {
    const answer = await scim.patch(path, operation)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(membersOf(answer), members, JSON.stringify(operation))
    assert.deepEqual(membersOf(await scim.ask('GET', path)), members)
  }
  const short = await scim.ask('GET', `${path}?excludedAttributes=members`)
  assert.deepEqual([short.body['members'], short.body['displayName']], [undefined, 'Shapes'])
  const filter = encodeURIComponent('displayName eq "shapes"')
  const found = await scim.ask('GET', `/Groups?excludedAttributes=members&filter=${filter}`)
  assert.equal(found.body['totalResults'], 1)
})

test('400: only users of the organization are members; foreign groups do not exist', async () => {
  const { scim, group } = await setUpGroups()
  const other = await setUpGroups()
  const theirs = await other.scim.create(`them@${other.domain}`)
  const path = await group('Mine')
  for (const value of [theirs, crypto.randomUUID(), 'x']) {
    const added = await scim.patch(path, { op: 'add', path: 'members', value: [{ value }] })
    assert.deepEqual([added.status, added.body['scimType']], [400, 'invalidValue'])
  }
  const foreign = await other.group('Theirs')
  for (const method of ['GET', 'DELETE']) {
    const answer = await scim.ask(method, foreign)
    assert.equal(answer.status, 404)
  }
  assert.equal((await scim.ask('PUT', foreign, { displayName: 'x' })).status, 404)
})

test('409: a group does not take the role of the last owner, and nothing changes', async () => {
  const { scim, domain, organizationId, owner, roleOf, group, setRoles } = await setUpGroups()
  const jane = await scim.create(`jane@${domain}`)
  const john = await scim.create(`john@${domain}`)
  const path = await group('Owners', jane)
  assert.equal(await roleOf(jane), 'owner')
  await bench.console_.postgres.database
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', owner.accountId)
    .execute()
  const emptied = await scim.patch(
    path,
    { op: 'add', path: 'members', value: [{ value: john }] },
    { op: 'remove', path: `members[value eq "${jane}"]` },
  )
  assert.equal(emptied.status, 200, 'another owner came first')
  assert.deepEqual([await roleOf(jane), await roleOf(john)], ['member', 'owner'])
  const removed = await scim.patch(path, { op: 'remove', path: 'members' })
  assert.equal(removed.status, 409)
  assert.equal((await scim.ask('DELETE', path)).status, 409)
  assert.equal((await scim.ask('DELETE', `/Users/${john}`)).status, 409)
  assert.deepEqual(membersOf(await scim.ask('GET', path)), [john])
  assert.equal(await roleOf(john), 'owner')
  assert.equal((await setRoles([])).status, 404, 'who was an owner no longer sets roles')
})

test('who comes back has the role of their groups; roles that an owner set stay', async () => {
  const { scim, domain, path, owner, roleOf, group } = await setUpGroups()
  const [jane, john] = [await scim.create(`jane@${domain}`), await scim.create(`john@${domain}`)]
  await group('Platform team', jane)
  for (const value of [false, true])
    await scim.patch(`/Users/${jane}`, { op: 'replace', path: 'active', value })
  assert.equal(await roleOf(jane), 'admin')
  const body = { role: 'viewer' }
  const { root } = bench.console_
  await ask(root, 'PATCH', `${path}/members/${john}`, { as: owner.as, body })
  await group('Something else', john)
  await scim.patch(`/Users/${john}`, { op: 'replace', path: 'displayName', value: 'John' })
  assert.equal(await roleOf(john), 'viewer')
})

test('a role of a group is told in one event, with what it was', async () => {
  const { scim, domain, organizationId, group } = await setUpGroups()
  const jane = await scim.create(`jane@${domain}`)
  await group('Platform team', jane)
  const events = await bench.console_.postgres.database
    .selectFrom('audit_events')
    .select(['action', 'changes', 'target_label'])
    .where('organization_id', '=', organizationId)
    .where('action', 'like', 'scim_group.%')
    .execute()
  const email = `jane@${domain}`
  assert.deepEqual(events, [
    {
      action: 'scim_group.create',
      target_label: 'Platform team',
      changes: {
        name: [null, 'Platform team'],
        members_added: [null, 1],
        roles: [{ [email]: 'member' }, { [email]: 'admin' }],
      },
    },
  ])
})

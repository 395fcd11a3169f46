import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

test('a project is created, changed with If-Match and archived, each audited once', async () => {
  const { owner, events } = await openConsoleOrganization(console_)
  const created = await owner.ask('POST', '/projects', {
    body: { name: 'search', spending_limit: { amount: '5' } },
  })
  assert.equal(created.status, 201, created.text)
  const path = `/projects/${created.body.id}`
  const headers = { 'if-match': created.headers['etag']! }
  const changed = await owner.ask('PATCH', path, { body: { spending_limit: null }, headers })
  assert.equal(changed.body['spending_limit'], null)
  const stale = await owner.ask('PATCH', path, { body: { name: 'x' }, headers })
  assert.equal(stale.body.error.code, 'precondition_failed')
  const archived = await owner.ask('POST', `${path}/archive`)
  assert.equal(archived.status, 200, archived.text)
  assert.equal(typeof archived.body['archived_at'], 'string')
  const again = await owner.ask('POST', `${path}/archive`)
  assert.deepEqual(again.body, archived.body)
  assert.deepEqual(
    (await events()).map(({ action }) => action),
    ['project.create', 'project.change', 'project.archive'],
  )
  const listed = await owner.ask('GET', '/projects')
  assert.deepEqual(
    listed.body.data.map((project) => project['name']),
    ['search', 'default'],
  )
})

test('lists count the keys that are not revoked, of each project and of each member', async () => {
  const { owner, open, projectId } = await openConsoleOrganization(console_)
  const member = await open('member')
  for (const name of ['a', 'b', 'c'])
    await owner.ask('POST', '/keys', { body: { name, owner: 'me', project: projectId } })
  const [newest] = (await owner.ask('GET', '/keys')).body.data
  await owner.ask('POST', `/keys/${newest!.id}/revoke`, { body: {} })
  const two = { count: 2, more: false }
  const [project] = (await owner.ask('GET', '/projects')).body.data
  assert.deepEqual(project?.['keys'], two)
  const members = (await owner.ask('GET', '/members')).body.data
  assert.deepEqual(members.find(({ id }) => id === owner.accountId)?.['keys'], two)
  const [hidden] = (await member.ask('GET', '/projects')).body.data
  assert.equal(hidden?.['keys'], null)
})

test('projects are sorted by name, page by page', async () => {
  const { owner } = await openConsoleOrganization(console_)
  for (const name of ['beta', 'Alpha', 'Zeta'])
    assert.equal((await owner.ask('POST', '/projects', { body: { name } })).status, 201)
  const first = await owner.ask('GET', '/projects?sort=name&order=asc&limit=2')
  const rest = await owner.ask('GET', `/projects?sort=name&order=asc&after=${first.body.next}`)
  const namesOf = ({ body }: typeof first) => body.data.map(({ name }) => name)
  assert.deepEqual([...namesOf(first), ...namesOf(rest)], ['Alpha', 'beta', 'default', 'Zeta'])
  const down = await owner.ask('GET', '/projects?sort=name')
  assert.deepEqual(namesOf(down), ['Zeta', 'default', 'beta', 'Alpha'])
})

test('409: a name is taken once among the projects that are not archived', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const taken = await owner.ask('POST', '/projects', { body: { name: 'Default' } })
  assert.equal(taken.body.error.code, 'already_exists')
  const other = await owner.ask('POST', '/projects', { body: { name: 'other' } })
  const renamed = await owner.ask('PATCH', `/projects/${other.body.id}`, {
    body: { name: 'default' },
  })
  assert.equal(renamed.body.error.code, 'already_exists')
})

test('403: archiving needs a fresh confirmation, and members change nothing', async () => {
  const { open, projectId } = await openConsoleOrganization(console_)
  const unconfirmed = await open('owner', { confirmed: false })
  const answer = await unconfirmed.ask('POST', `/projects/${projectId}/archive`)
  assert.equal(answer.body.error.code, 'confirmation_required')
  const member = await open('member')
  assert.equal((await member.ask('GET', `/projects/${projectId}`)).status, 200)
  const refused = await member.ask('PATCH', `/projects/${projectId}`, { body: { name: 'x' } })
  assert.equal(refused.body.error.code, 'role_required')
})

test('404: a project of another organization is like an absent one', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const other = await openConsoleOrganization(console_)
  for (const [method, end, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'x' }],
    ['POST', '/archive', undefined],
  ] as const) {
    const foreign = await owner.ask(method, `/projects/${other.projectId}${end}`, { body })
    const absent = await owner.ask(method, `/projects/${crypto.randomUUID()}${end}`, { body })
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, absent.text)
  }
  const key = await owner.ask('POST', '/keys', { body: { name: 'x', project: other.projectId } })
  assert.equal(key.status, 404)
})

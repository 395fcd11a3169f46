import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveApi } from '../../src/start/serve-api.ts'
import { archiveProject, createProject } from '../../src/store/tenants/projects.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { ask, startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole((config) => ({
  ...config,
  plans: { ...config.plans, keys: { ...config.plans['ample']!, credentials: ['api_key'] } },
}))
const api = await serveApi(console_.config)
after(async () => {
  await api.stop()
  await console_[Symbol.asyncDispose]()
})

async function openMember(role: Role, plan?: string) {
  const organization = await console_.openOrganization(plan)
  const { as, accountId } = await console_.openPerson({ organizationId: organization.id, role })
  const open = (project: string) =>
    ask(
      console_.root,
      'POST',
      `/organizations/${organization.id}/projects/${project}/playground-credentials`,
      { as },
    )
  return { organization, accountId, as, open }
}

test('a credential works on the data plane for five minutes, and is in no row', async () => {
  const { organization, open } = await openMember('member')
  const { status, text, body } = await open('default')
  assert.equal(status, 201, text)
  const lifeMs = Date.parse(body['expires_at'] as string) - Date.now()
  assert.ok(lifeMs > 4 * 60_000 && lifeMs <= 5 * 60_000)
  const credential = body['credential'] as string
  const headers = { authorization: `Bearer ${credential}` }
  assert.equal((await fetch(`${api.apiRoot}/models`, { headers })).status, 200)
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .execute()
  assert.deepEqual(
    events.map(({ action, target_id }) => [action, target_id]),
    [['playground.open', organization.projectId]],
  )
  assert.ok(!JSON.stringify(events).includes(credential.slice(-20)))
})

test('it never works on the management API', async () => {
  const { organization, open } = await openMember('owner')
  const credential = (await open('default')).body['credential'] as string
  const as = { authorization: `Bearer ${credential}` }
  const path = `/organizations/${organization.id}/models`
  assert.equal((await ask(console_.root, 'GET', path, { as })).status, 401)
})

test('a plan without the playground, or that is gone, gives 403 plan_access_denied', async () => {
  for (const plan of ['keys', 'gone']) {
    const { open } = await openMember('owner', plan)
    const { status, body } = await open('default')
    assert.deepEqual([status, body.error.code], [403, 'plan_access_denied'])
  }
})

test('viewers have no playground, and only live projects of the organization do', async () => {
  const viewer = await openMember('viewer')
  assert.equal((await viewer.open('default')).status, 403)
  const { organization, open } = await openMember('member')
  const { database } = console_.postgres
  const archived = await createProject(database, organization.id, 'old')
  await archiveProject(database, archived)
  for (const project of [viewer.organization.projectId, archived.id, crypto.randomUUID(), 'none'])
    assert.equal((await open(project)).status, 404, project)
})

test('without a signing key the playground is switched off', async () => {
  await using off = await startConsole(({ signing_key: _key, ...config }) => config)
  const organization = await off.openOrganization()
  const { as } = await off.openPerson({ organizationId: organization.id, role: 'owner' })
  const path = `/organizations/${organization.id}/projects/default/playground-credentials`
  const { status, body } = await ask(off.root, 'POST', path, { as })
  assert.deepEqual([status, body.error.code], [503, 'service_unavailable'])
})

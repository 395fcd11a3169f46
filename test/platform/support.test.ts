import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ROUTES } from '../../src/platform/api/routes.ts'
import { ORGANIZATION_PERMISSIONS } from '../../src/tenancy/permissions.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { expireSupportAccess } from '../harness/seed/billing-rows.ts'
import { NO_PROVIDER, withPayments } from '../harness/payments/payment-settings.ts'
import { ask, startConsole, type Headers } from '../harness/processes/console.ts'

const console_ = await startConsole((config) => withPayments(config, NO_PROVIDER))
after(() => console_[Symbol.asyncDispose]())

async function openMember(role: Role) {
  const { id } = await console_.openOrganization()
  const { as, accountId } = await console_.openPerson({ organizationId: id, role })
  return { id, as, accountId, path: `/organizations/${id}/support-access` }
}

function send(method: string, path: string, as: Headers, body?: unknown) {
  return ask(console_.root, method, path, { as, ...(body !== undefined && { body }) })
}

async function actions(organizationId: string): Promise<string[]> {
  const rows = await console_.postgres.database
    .selectFrom('audit_events')
    .select(['actor_kind', 'action', 'actor_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  return rows.map((row) => `${row.actor_kind} ${row.action}`)
}

test('each read by support is an event of the organization, and ends with the access', async () => {
  const { id, as, path } = await openMember('owner')
  const support = await console_.openPerson({ platformRole: 'support' })
  const reads = ROUTES.filter(
    ({ method, path: at }) =>
      method === 'GET' && /^\/organizations\/\{organization\}\/[a-z-/]+$/.test(at),
  )
  const read = async (at: string) => {
    const url = at.replace('{organization}', id)
    const response = await fetch(`${console_.root}${url}`, { headers: support.as })
    await response.body?.cancel()
    return response.status
  }
  assert.ok(reads.length >= 8)
  for (const route of reads) assert.equal(await read(route.path), 404, route.path)
  assert.deepEqual(await actions(id), [])
  assert.equal((await send('POST', path, as, { hours: 1, reason: 'ticket 7' })).status, 201)
  for (const route of reads) {
    const allowed = ORGANIZATION_PERMISSIONS[route.does.permission as 'keys:read'].support
    const before_ = (await actions(id)).length
    assert.equal(await read(route.path), allowed ? 200 : 403, route.path)
    const added = (await actions(id)).slice(before_)
    assert.deepEqual(added, allowed ? [`support ${route.does.action}`] : [], route.path)
  }
  const log = `/organizations/${id}/audit-events?limit=100&actor_kind=`
  const shown = await ask(console_.root, 'GET', `${log}support`, { as })
  assert.equal(shown.body.data.length, (await actions(id)).length - 1)
  const granted = await ask(console_.root, 'GET', `${log}person`, { as })
  assert.deepEqual(
    granted.body.data.map((event) => event['action']),
    ['support_access.grant'],
  )
  const keys = `/organizations/${id}/keys`
  const refused = await send('POST', keys, { ...support.as }, { name: 'mine' })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'role_required'])
  assert.equal((await send('DELETE', path, as)).status, 204)
  const count = (await actions(id)).length
  for (const route of reads) assert.equal(await read(route.path), 404, route.path)
  assert.equal((await actions(id)).length, count)
  assert.equal((await actions(id)).at(-1), 'person support_access.end')
})

test('support access ends by itself', async () => {
  const { id, as, path } = await openMember('owner')
  const support = await console_.openPerson({ platformRole: 'operator' })
  await send('POST', path, as, {})
  const keys = `/organizations/${id}/keys`
  assert.equal((await send('GET', keys, support.as)).status, 200)
  await expireSupportAccess(console_.postgres.pool, id)
  assert.equal((await send('GET', keys, support.as)).status, 404)
  const { body } = await send('GET', path, as)
  assert.deepEqual(
    body.data.map((each) => [each['active'], each['ended_at']]),
    [[false, null]],
  )
  assert.equal((await send('DELETE', path, as)).status, 404)
})

test('access lasts 1 to 72 hours, a new one replaces the last, and only owners grant', async () => {
  const { as, path, accountId } = await openMember('owner')
  for (const hours of [0, 73, 1.5, '24'])
    assert.equal((await send('POST', path, as, { hours })).status, 400)
  await send('POST', path, as, { hours: 72 })
  const second = await send('POST', path, as, { hours: 2 })
  const { body } = await send('GET', path, as)
  assert.deepEqual(
    body.data.map((each) => [each['active'], each['granted_by']]),
    [
      [true, accountId],
      [false, accountId],
    ],
  )
  const endsInMs = Date.parse(second.body['ends_at'] as string) - Date.now()
  assert.ok(Math.abs(endsInMs - 2 * 3_600_000) < 60_000)
  const admin = await openMember('admin')
  for (const method of ['GET', 'POST', 'DELETE'])
    assert.equal(
      (await send(method, admin.path, admin.as, method === 'POST' ? {} : undefined)).status,
      403,
    )
})

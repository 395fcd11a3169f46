import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { listRefusals } from '../../src/store/usage/read-refusals.ts'
import type { Refusal } from '../../src/tenancy/refusal.ts'
import { issuePlayground } from '../harness/clients/playground.ts'
import { join, openAccount, openKey } from '../harness/seed/tenants.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import { request, startApi, until } from './start.ts'

const CANARY = 'xq7-client-text'

const api = await startApi((config) => ({
  ...config,
  plans: {
    ...config.plans,
    two: {
      ...config.plans['ample']!,
      limits: { ...config.plans['ample']!.limits, requests_per_minute: 2 },
    },
    no_playground: { ...config.plans['ample']!, credentials: ['api_key'] },
  },
}))
const valkey = await connectValkey(api.service.config.valkey_urls)

endWithFile(valkey, api)

async function refusalsOf(organizationId: string, count: number): Promise<readonly Refusal[]> {
  const list = () => listRefusals(valkey, organizationId, {}, { limit: 100 })
  await until('refusals', async () => (await list()).refusals.length === count)
  return (await list()).refusals
}

test('each refusal is noted with its error, and without any text of the client', async () => {
  const { key, organizationId, projectId } = await api.service.createCaller()
  const wrong: readonly [object, string | null, string | null][] = [
    [request({ [CANARY]: 1 }), null, 'headrace/pebble'],
    [request({ temperature: CANARY }), 'temperature', 'headrace/pebble'],
    [request({ messages: [{ role: CANARY, content: CANARY }] }), 'messages', 'headrace/pebble'],
    [request({ model: CANARY }), 'model', null],
  ]
  const ids: (string | undefined)[] = []
  for (const [body] of wrong)
    ids.push((await api.client.chat(body, { key })).headers['x-request-id'])
  const path = { method: 'GET', path: `/${CANARY}`, key, headers: {}, body: undefined }
  const unknown = await api.client.send(path)
  const plain = { key, headers: { 'content-type': `text/${CANARY}` } }
  const untyped = await api.client.chat(request(), plain)
  assert.deepEqual([unknown.status, untyped.status], [404, 415])
  const noted = (await refusalsOf(organizationId, 6)).toReversed()
  assert.deepEqual(
    noted.slice(0, 4).map(({ id, param, model }) => [id, param, model]),
    wrong.map(([, param, model], at) => [ids[at], param, model]),
  )
  assert.deepEqual(
    noted.map(({ status, code }) => [status, code]),
    [
      [400, 'unsupported_parameter'],
      [400, 'invalid_value'],
      [400, 'invalid_value'],
      [404, 'model_not_found'],
      [404, 'unsupported_endpoint'],
      [415, 'unsupported_media_type'],
    ],
  )
  assert.ok(noted.every((each) => each.projectId === projectId && each.accountId === null))
  assert.ok(!JSON.stringify(noted).includes(CANARY))
})

test('a refusal names the exceeded limits and the account of a playground', async () => {
  const { key, organizationId, projectId } = await api.service.createCaller('two')
  const statuses = []
  for (let sent = 0; sent < 3; sent += 1)
    statuses.push((await api.client.get('/models', { key })).status)
  assert.deepEqual(statuses, [200, 200, 429])
  const [limited] = await refusalsOf(organizationId, 1)
  assert.deepEqual(limited?.limits, ['requestsPerMinute'])
  assert.ok((limited?.retryAfterMs ?? 0) > 1_000)

  const { database } = api.service.postgres
  const other = await api.service.createCaller('no_playground')
  const accountId = await openAccount(database)
  await join(database, other.organizationId, accountId)
  const played = issuePlayground({ ...other, accountId })
  assert.equal((await api.client.get('/models', { key: played })).status, 403)
  const [denied] = await refusalsOf(other.organizationId, 1)
  assert.deepEqual(
    [denied?.code, denied?.credentialKind, denied?.credentialId, denied?.accountId],
    ['plan_access_denied', 'playground', accountId, accountId],
  )
  assert.equal(limited?.projectId, projectId)
})

test('a request without a valid credential is noted nowhere', async () => {
  const { organizationId, projectId } = await api.service.createCaller()
  const { database } = api.service.postgres
  const expired = await openKey(database, projectId, { expiresAt: new Date(Date.now() - 1_000) })
  assert.equal((await api.client.get('/models', { key: expired.text })).status, 401)
  const valid = await openKey(database, projectId)
  assert.equal((await api.client.get('/nowhere', { key: valid.text })).status, 404)
  const [only] = await refusalsOf(organizationId, 1)
  assert.equal(only?.credentialId, valid.id)
})

test('a refusal is answered while Valkey does not answer, and nothing else is lost', async () => {
  await using server = await startValkey()
  await using other = await startApi((config) => ({
    ...config,
    valkey_urls: [server.url],
    plans: { ...config.plans, closed: { ...config.plans['ample']!, credentials: ['playground'] } },
  }))
  const { key } = await other.service.createCaller('closed')
  const { key: open } = await other.service.createCaller()
  assert.equal((await other.client.get('/models', { key })).status, 403)
  server.freeze()
  // A write that waited for Valkey would make each of these wait for its timeout of a second.
  const sinceMs = performance.now()
  for (let sent = 0; sent < 60; sent += 1)
    assert.equal((await other.client.get('/models', { key })).status, 403)
  assert.ok(performance.now() - sinceMs < 30_000)
  server.thaw()
  await until(
    'Valkey',
    async () => (await other.client.get('/models', { key: open })).status === 200,
  )
})

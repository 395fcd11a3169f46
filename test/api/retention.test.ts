import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveApi } from '../../src/start/serve-api.ts'
import { storeApiKey } from '../../src/store/tenants/api-keys.ts'
import { listRetainedDays } from '../../src/store/content/content-export.ts'
import { createOrganization } from '../../src/store/tenants/organizations.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { findProject } from '../../src/store/tenants/projects.ts'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { scriptedModel, startScriptedEngine, withScripts } from '../harness/fake-engine/scripts.ts'
import { testConfig } from '../harness/processes/service.ts'
import { createClient, type Client } from './client.ts'
import { request, until } from './start.ts'

const HEADER = 'service-data-retention'

// A separate database server, because a test freezes it.
const server = await startPostgres()
const engine = await startScriptedEngine()
const config = testConfig(server.url, (given) => withScripts(given, engine))
const api = await serveApi(config)
const { content_key: _none, ...keyless } = config
const keylessApi = await serveApi(keyless)
const postgres = openPostgres(server.url)
const clients: Client[] = []
after(async () => {
  for (const client of clients) await client[Symbol.asyncDispose]()
  for (const each of [api, keylessApi]) await each.stop()
  for (const each of [postgres, server, engine]) await each[Symbol.asyncDispose]()
})

async function createCaller(retention: 'zero' | 'standard', target = api) {
  const slug = `test-${crypto.randomUUID().slice(0, 8)}`
  const known = { slug, name: slug, plan: 'ample', retention, ownerAccountId: null } as const
  const { id } = await createOrganization(postgres.database, known)
  const key = createApiKey(config.api.key_prefix)
  const { id: projectId } = await findProject(postgres.database, id, 'default')
  const settings = { projectId, createdByAccountId: null, name: 'test', expiresAt: null }
  await storeApiKey(postgres.database, key, settings)
  const client = createClient(target, key)
  clients.push(client)
  return { id, client }
}

async function countOf(organizationId: string): Promise<number> {
  const days = await listRetainedDays(postgres.database, organizationId)
  return days.reduce((sum, { records }) => sum + records, 0)
}

const text = (change: object = {}) => request({ model: scriptedModel('replays-text'), ...change })

test('content is stored with standard retention, never with zero', async () => {
  const [zero, standard] = [await createCaller('zero'), await createCaller('standard')]
  const cut = request({ model: scriptedModel('cuts-stream'), stream: true })
  for (const { client } of [zero, standard]) {
    for (const body of [text(), text({ stream: true }), cut]) await client.chat(body)
    await client.chat({ ...text(), unknown: 1 })
  }
  const { headers } = await standard.client.chat(text())
  assert.equal(headers[HEADER], 'standard')
  assert.equal((await zero.client.chat(text())).headers[HEADER], 'zero')
  // The broken-off stream counts, because part of it was sent; the rejected request does not.
  await until('all is stored', async () => (await countOf(standard.id)) === 4)
  assert.equal(await countOf(zero.id), 0)
})

test('without an encryption key nothing is stored, and the header says zero', async () => {
  const { id, client } = await createCaller('standard', keylessApi)
  const { status, headers } = await client.chat(text())
  assert.deepEqual([status, headers[HEADER]], [200, 'zero'])
  const other = await createCaller('standard')
  await other.client.chat(text())
  await until('the other is stored', async () => (await countOf(other.id)) === 1)
  assert.equal(await countOf(id), 0)
})

test('a frozen PostgreSQL does not delay responses whose content is stored', async () => {
  const [zero, standard] = [await createCaller('zero'), await createCaller('standard')]
  const timeOf = async (client: Client) => {
    const startMs = performance.now()
    for (let count = 0; count < 20; count += 1) {
      const { status } = await client.chat(text({ stream: count % 2 === 0 }))
      assert.equal(status, 200)
    }
    return performance.now() - startMs
  }
  for (const { client } of [zero, standard]) await client.chat(text())
  server.freeze()
  try {
    const [zeroMs, standardMs] = [await timeOf(zero.client), await timeOf(standard.client)]
    // If requests waited for the database, each would take two seconds.
    assert.ok(standardMs < 5 * zeroMs + 2_000, `${standardMs} ms against ${zeroMs} ms`)
  } finally {
    server.thaw()
  }
})

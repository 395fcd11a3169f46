import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveApi } from '../../src/start/serve-api.ts'
import { announceVersionsJob } from '../../src/worker/announce-versions.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { startConsole } from '../harness/processes/console.ts'
import { startValkey } from '../harness/servers/valkey.ts'

const valkey = await startValkey()
const console_ = await startConsole((config) => ({ ...config, valkey_urls: [valkey.url] }))
const api = await serveApi(console_.config)
after(async () => {
  await api.stop()
  await console_[Symbol.asyncDispose]()
  await valkey.kill()
})

async function waiting(organizationId: string): Promise<number> {
  const rows = await console_.postgres.database
    .selectFrom('announcements')
    .select('version')
    .where('organization_id', '=', organizationId)
    .execute()
  return rows.length
}

/** As if the change had been made earlier. */
async function makeOlder(organizationId: string): Promise<void> {
  const { database } = console_.postgres
  const { version } = await database
    .deleteFrom('announcements')
    .where('organization_id', '=', organizationId)
    .returning('version')
    .executeTakeFirstOrThrow()
  const created_at = new Date(Date.now() - 6_000)
  await database
    .insertInto('announcements')
    .values({ organization_id: organizationId, version, created_at })
    .execute()
}

test('503: a change while Valkey is unavailable stands, and the worker announces it', async () => {
  const { database } = console_.postgres
  const { id, owner } = await openConsoleOrganization(console_)
  const { body: created } = await owner.ask('POST', '/keys', { body: { name: 'lost' } })
  const headers = { authorization: `Bearer ${created.key}` }
  const models = async () => (await fetch(`${api.apiRoot}/models`, { headers })).status
  assert.equal(await models(), 200)
  valkey.freeze()
  const revoked = await owner.ask('POST', `/keys/${created.id}/revoke`, { body: {} })
  valkey.thaw()
  assert.equal(revoked.status, 503, revoked.text)
  assert.equal(revoked.body.error.code, 'change_not_propagated')
  const shown = await owner.ask('GET', `/keys/${created.id}`)
  assert.equal(typeof shown.body['revoked_at'], 'string')
  assert.equal(await waiting(id), 1)
  const job = announceVersionsJob({
    database,
    announce: (raised) => console_.environment.announce(raised),
  })
  // Whoever made the change may still be announcing it.
  await job.run(new AbortController().signal)
  assert.equal(await waiting(id), 1)
  await makeOlder(id)
  await job.run(new AbortController().signal)
  assert.equal(await waiting(id), 0)
  assert.equal(await models(), 401)
})

test('a change that is announced leaves nothing in the outbox', async () => {
  const { id, owner } = await openConsoleOrganization(console_)
  assert.equal((await owner.ask('PATCH', '', { body: { name: 'Acme' } })).status, 200)
  assert.equal(await waiting(id), 0)
})

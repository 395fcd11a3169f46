import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startService } from '../harness/processes/service.ts'
import { connectValkey } from '../harness/servers/valkey.ts'

const TIMEOUT_MS = 10_000
/** A version that PostgreSQL gave out, told Valkey, and then lost. */
const LOST = 7

const service = await startService((config) => config)
const valkey = await connectValkey(service.config.valkey_urls)
const caller = await service.createCaller('ample')
after(async () => {
  const { limits, version } = organizationKeys(caller.organizationId)
  await valkey.call('DEL', [limits, version])
  await valkey[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

describe('a version that PostgreSQL has lost', () => {
  async function ask(): Promise<number> {
    const headers = { authorization: `Bearer ${caller.key}` }
    const response = await fetch(`${service.apiRoot}/models`, { headers })
    await response.arrayBuffer()
    return response.status
  }

  test('is passed over, so that callers are served from the cache again', async () => {
    const { organizationId, projectId } = caller
    assert.equal(await ask(), 200)
    await valkey.call('SET', [organizationKeys(organizationId).version, LOST])
    const { database } = service.postgres
    const isPassedOver = async () => {
      assert.equal(await ask(), 200)
      const known = await valkey.call('GET', [organizationKeys(organizationId).version])
      const { version } = await findOrganization(database, organizationId)
      return version === LOST + 1 && Number(known) === version
    }
    await waitUntil('the lost version to be passed over', isPassedOver, TIMEOUT_MS)
    // Not announced by a version, so that only a request that reads PostgreSQL would notice.
    const keys = database.updateTable('api_keys').where('project_id', '=', projectId)
    await keys.set({ revoked_at: new Date() }).execute()
    assert.equal(await ask(), 200)
  })
})

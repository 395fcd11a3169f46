import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { waitUntil } from '../harness/measure.ts'
import { startService, type Service } from '../harness/service.ts'
import type { Caller } from '../harness/tenants.ts'
import { connectValkey } from '../harness/valkey.ts'

const TIMEOUT_MS = 10_000
/** A version that PostgreSQL gave out, told Valkey, and then lost. */
const LOST = 7

describe('a version that PostgreSQL has lost', () => {
  let service: Service
  let valkey: Valkey
  let caller: Caller

  before(async () => {
    service = await startService((config) => config)
    valkey = await connectValkey(service.config.valkey_urls)
    caller = await service.createCaller('ample')
  })

  after(async () => {
    const { limits, version } = organizationKeys(caller.organizationId)
    await valkey.call('DEL', [limits, version])
    await valkey[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

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

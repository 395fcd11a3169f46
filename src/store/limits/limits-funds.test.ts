import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { ROOMY, askOf, opening, prepaid } from '../../../test/harness/load/limits-asks.ts'
import { readHash } from '../../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { createLimits } from './limits.ts'
import { organizationKeys } from '../valkey/keys.ts'

const server = await startValkey()
const valkey = await connectValkey([server.url])
const limits = createLimits(valkey)
after(async () => {
  await limits[Symbol.asyncDispose]()
  await valkey[Symbol.asyncDispose]()
  await server.kill()
})

suite('funds', () => {
  async function fundsOf(organizationId: string): Promise<Record<string, string>> {
    return readHash(valkey, organizationKeys(organizationId).funds)
  }

  test('402: the worst cases of all running requests never exceed the balance', async () => {
    const ask = askOf({ funds: prepaid({ granted: 1000, spent: 100 }) })
    const asks = Array.from({ length: 40 }, () => limits.admit(opening(ask, { reserved: 90 })))
    const kinds = (await Promise.all(asks)).map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'admitted').length, 10)
    assert.equal(kinds.filter((kind) => kind === 'unfunded').length, 30)
    const { spent, reserved } = await fundsOf(ask.organizationId)
    assert.deepEqual([spent, reserved], ['100', '900'])
  })

  test('402: a rejection for lack of funds counts and reserves nothing', async () => {
    const ask = askOf({ funds: prepaid({ granted: 10 }) })
    const refused = await limits.admit(opening(ask, { reserved: 11 }))
    assert.deepEqual(refused, { kind: 'unfunded', of: 'organization' })
    const { limits: used, open } = organizationKeys(ask.organizationId)
    assert.equal(await valkey.call('EXISTS', [used]), 0)
    assert.deepEqual(await fundsOf(ask.organizationId), { spent: '0', reserved: '0' })
    const records = (await valkey.call('HVALS', [open])) as string[]
    assert.ok(!records.some((record) => record.includes(ask.organizationId)))
  })

  test('402: with no balance left a request that reserves nothing is rejected too', async () => {
    const ask = askOf({ funds: prepaid({ granted: 10, spent: 10 }) })
    assert.equal((await limits.admit(opening(ask))).kind, 'unfunded')
    assert.equal((await limits.admit(ask)).kind, 'admitted', 'a request without a record')
  })

  test('402 comes before 429', async () => {
    const tight = { ...ROOMY, requestsPerDay: 0 }
    const ask = askOf({ limits: tight, funds: prepaid() })
    assert.equal((await limits.admit(opening(ask))).kind, 'unfunded')
  })

  test('postpaid needs no balance, but spending limits apply', async () => {
    const funds = prepaid({ billing: 'postpaid', spendingLimit: 100, projectSpent: 30 })
    const ask = askOf({ funds })
    assert.equal((await limits.admit(opening(ask, { reserved: 70 }))).kind, 'admitted')
    const refused = await limits.admit(opening(ask, { reserved: 1 }))
    assert.deepEqual(refused, { kind: 'unfunded', of: 'project' })
    const other = askOf({
      ...ask,
      projectId: crypto.randomUUID(),
      funds: prepaid({ ...funds, spendingLimit: null }),
    })
    assert.equal((await limits.admit(opening(other, { reserved: 500 }))).kind, 'admitted')
  })

  test('without stored funds a cached identity is stale', async () => {
    const ask = askOf({ funds: prepaid({ granted: 100, spendingLimit: 100 }) })
    await limits.admit(ask)
    const cached = { ...ask, fresh: false }
    assert.equal((await limits.admit(opening(cached))).kind, 'stale')
    assert.equal((await limits.admit(opening(ask))).kind, 'admitted')
    assert.equal((await limits.admit(opening(cached))).kind, 'admitted')
    const sibling = { ...cached, projectId: crypto.randomUUID() }
    assert.equal((await limits.admit(opening(sibling))).kind, 'stale', 'its month is not stored')
  })

  test('402: after the first rejection a cached identity is not stale', async () => {
    const broke = askOf({ funds: prepaid({ granted: 10, spent: 10 }) })
    const unfunded = { kind: 'unfunded', of: 'organization' }
    assert.deepEqual(await limits.admit(opening(broke)), unfunded)
    assert.deepEqual(await limits.admit(opening({ ...broke, fresh: false })), unfunded)
    const funds = prepaid({ granted: 100, spendingLimit: 7, projectSpent: 7 })
    const usedUp = askOf({ funds })
    const refused = { kind: 'unfunded', of: 'project' }
    assert.deepEqual(await limits.admit(opening(usedUp)), refused)
    assert.deepEqual(await limits.admit(opening({ ...usedUp, fresh: false })), refused)
  })

  test("a new month resets a project's spending", async () => {
    const ask = askOf({ funds: prepaid({ granted: 1000, spendingLimit: 100, projectSpent: 100 }) })
    assert.equal((await limits.admit(opening(ask))).kind, 'unfunded')
    const { funds } = organizationKeys(ask.organizationId)
    const { projectId } = ask
    const stored = ['spent', 0, `spent:${projectId}`, 100, `month:${projectId}`, 202601]
    await valkey.call('HSET', [funds, ...stored])
    assert.equal((await limits.admit(opening({ ...ask, fresh: false }))).kind, 'admitted')
    const later = await fundsOf(ask.organizationId)
    const now = new Date().toISOString().slice(0, 7).replace('-', '')
    assert.deepEqual([later[`spent:${projectId}`], later[`month:${projectId}`]], ['0', now])
  })

  test('a grant takes effect on the next request', async () => {
    const ask = askOf({ funds: prepaid({ granted: 10 }) })
    assert.equal((await limits.admit(opening(ask, { reserved: 10 }))).kind, 'admitted')
    assert.equal((await limits.admit(opening(ask, { reserved: 10 }))).kind, 'unfunded')
    const richer = { ...ask, funds: prepaid({ granted: 20 }) }
    assert.equal((await limits.admit(opening(richer, { reserved: 10 }))).kind, 'admitted')
  })
})

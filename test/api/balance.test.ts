import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { changeFunds } from '../../src/store/ledger/double-entry.ts'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { changeProject, findProject } from '../../src/store/tenants/projects.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { startService, type Service } from '../harness/processes/service.ts'
import type { Caller } from '../harness/seed/tenants.ts'
import { connectValkey } from '../harness/servers/valkey.ts'

/** More than any request of these tests costs, in micro-units. */
const PLENTY = 1_000_000_000
const MODEL = 'headrace/pebble'

describe('balance', () => {
  let service: Service
  let valkey: Valkey
  const callers: Caller[] = []

  before(async () => {
    service = await startService((config) => {
      const { ample } = config.plans
      assert.ok(ample)
      const plan = { ...ample, models: [MODEL] }
      const plans = {
        prepaid: { ...plan, billing: 'prepaid' as const },
        postpaid: { ...plan, billing: 'postpaid' as const },
      }
      return { ...config, plans: { ...config.plans, ...plans } }
    })
    valkey = await connectValkey(service.config.valkey_urls)
  })

  after(async () => {
    for (const { organizationId } of callers) {
      const { limits, version, funds } = organizationKeys(organizationId)
      await valkey.call('DEL', [limits, version, funds])
    }
    await valkey[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  async function open(plan: string): Promise<Caller> {
    const caller = await service.createCaller(plan)
    callers.push(caller)
    return caller
  }

  async function ask({ key }: Caller) {
    const response = await fetch(`${service.apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: 4,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    const { error } = (await response.json()) as { error?: { code: string } }
    return { status: response.status, code: error?.code, headers: response.headers }
  }

  async function grant({ organizationId }: Caller, amount: number): Promise<void> {
    const { raised } = await changeFunds(service.postgres.database, {
      organizationId,
      amount,
      kind: amount > 0 ? 'grant' : 'adjustment',
      reference: randomUUID(),
      madeBy: 'test',
      reason: 'a test',
    })
    await publish(raised)
  }

  async function publish(
    raised: Awaited<ReturnType<typeof changeProject>>['raised'],
  ): Promise<void> {
    for (const each of raised) await raiseVersion(valkey, each)
  }

  test('402: grants and adjustments apply to the next request of a cached caller', async () => {
    const caller = await open('prepaid')
    const refused = await ask(caller)
    assert.deepEqual([refused.status, refused.code], [402, 'insufficient_balance'])
    assert.equal(refused.headers.get('x-should-retry'), 'false')
    assert.equal(refused.headers.get('x-ratelimit-limit-requests'), null)
    await grant(caller, PLENTY)
    assert.equal((await ask(caller)).status, 200)
    await grant(caller, -PLENTY)
    assert.equal((await ask(caller)).status, 402)
  })

  test('402: setting and removing a spending limit applies to the next request', async () => {
    const { database } = service.postgres
    const caller = await open('postpaid')
    assert.equal((await ask(caller)).status, 200)
    const project = await findProject(database, caller.organizationId, 'default')
    await publish((await changeProject(database, project, { spendingLimit: 0 })).raised)
    assert.equal((await ask(caller)).status, 402)
    await publish((await changeProject(database, project, { spendingLimit: null })).raised)
    assert.equal((await ask(caller)).status, 200)
  })
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { openFunds } from '../../src/store/ledger/double-entry.ts'
import {
  fundsAccount,
  postTransfers,
  receivableAccount,
} from '../../src/store/ledger/post-transfers.ts'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import { changeProject, findProject } from '../../src/store/tenants/projects.ts'
import { raiseVersions, type RaisedVersion } from '../../src/store/tenants/versions.ts'
import { startService } from '../harness/processes/service.ts'
import { grantFunds, type Caller } from '../harness/seed/tenants.ts'
import { connectValkey } from '../harness/servers/valkey.ts'

/** More than any request of these tests costs, in micro-units. */
const PLENTY = 1_000_000_000
const MODEL = 'headrace/pebble'
const REFUSED = [402, 'credit_limit_reached'] as const
const ANSWERED = [200, undefined] as const

type Billing = Config['plans'][string]['billing']

function withPlans(later: Billing) {
  return (config: Config): Config => {
    const plan = { ...config.plans['ample']!, models: [MODEL] }
    const plans = {
      prepaid: { ...plan, billing: 'prepaid' as const },
      postpaid: { ...plan, billing: 'postpaid' as const },
      later: { ...plan, billing: later },
    }
    return { ...config, plans: { ...config.plans, ...plans } }
  }
}

const service = await startService(withPlans('prepaid'))
const valkey = await connectValkey(service.config.valkey_urls)
const { database } = service.postgres
after(async () => {
  await valkey[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function ask({ key }: Caller, tokens = 4) {
  const messages = [{ role: 'user', content: 'Hello' }]
  const response = await fetch(`${service.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_tokens: tokens, messages }),
  })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { is: [response.status, error?.code], error, headers: response.headers }
}

async function publish(raised: readonly RaisedVersion[]): Promise<void> {
  for (const each of raised) await raiseVersion(valkey, each)
}

async function change(
  { organizationId }: Caller,
  changes: { readonly creditLimit?: number | null; readonly plan?: string },
): Promise<void> {
  await publish((await changeOrganization(database, organizationId, changes)).raised)
}

/** Moves money as an invoice does that is issued or paid. */
async function post(
  { organizationId }: Caller,
  accounts: { readonly debit: string; readonly credit: string },
): Promise<void> {
  const raised = await database.transaction().execute(async (transaction) => {
    await openFunds(transaction, organizationId)
    const ids = [receivableAccount(organizationId), 'bank']
    await transaction
      .insertInto('ledger_accounts')
      .values(ids.map((id) => ({ id, organization_id: id === 'bank' ? null : organizationId })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    const reference = `test ${crypto.randomUUID()}`
    const facts = { amount: PLENTY, kind: 'adjustment', madeBy: 'test', reason: 'test' } as const
    await postTransfers(transaction, [{ ...accounts, ...facts, reference }])
    return raiseVersions(transaction, [organizationId])
  })
  await publish(raised)
}

test('402: a credit limit applies from the next request on, and says that it is one', async () => {
  const caller = await service.createCaller('postpaid')
  assert.deepEqual((await ask(caller)).is, ANSWERED)
  await change(caller, { creditLimit: 0 })
  const refused = await ask(caller)
  assert.deepEqual(refused.is, REFUSED)
  assert.match(refused.error?.message ?? '', /credit limit/)
  assert.doesNotMatch(refused.error?.message ?? '', /balance/)
  assert.equal(refused.headers.get('x-should-retry'), 'false')
  assert.equal(refused.headers.get('x-ratelimit-limit-requests'), null)
  await change(caller, { creditLimit: PLENTY })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
  // Less than what is used already.
  await change(caller, { creditLimit: 1 })
  assert.deepEqual((await ask(caller, 1)).is, REFUSED)
  await change(caller, { creditLimit: null })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
})

test('issuing an invoice frees no credit, and paying it does', async () => {
  const caller = await service.createCaller('postpaid')
  const funds = fundsAccount(caller.organizationId)
  const receivable = receivableAccount(caller.organizationId)
  await change(caller, { creditLimit: PLENTY })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
  await change(caller, { creditLimit: 0 })
  assert.deepEqual((await ask(caller)).is, REFUSED)
  await post(caller, { debit: receivable, credit: funds })
  assert.deepEqual((await ask(caller)).is, REFUSED)
  await post(caller, { debit: 'bank', credit: receivable })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
})

test('what was granted is spent before the credit', async () => {
  const caller = await service.createCaller('postpaid')
  await change(caller, { creditLimit: 0 })
  await publish(await grantFunds(database, caller.organizationId, PLENTY))
  assert.deepEqual((await ask(caller)).is, ANSWERED)
})

test('a credit limit means nothing on another plan, and holds on the way back', async () => {
  const caller = await service.createCaller('postpaid')
  await change(caller, { creditLimit: PLENTY })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
  await change(caller, { plan: 'prepaid' })
  assert.deepEqual((await ask(caller)).is, [402, 'insufficient_balance'])
  await change(caller, { plan: 'ample', creditLimit: 0 })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
  await change(caller, { plan: 'postpaid' })
  assert.deepEqual((await ask(caller)).is, REFUSED)
  await change(caller, { creditLimit: PLENTY })
  assert.deepEqual((await ask(caller)).is, ANSWERED)
})

test('within the credit limit a spending limit of a project still applies', async () => {
  const caller = await service.createCaller('postpaid')
  await change(caller, { creditLimit: PLENTY })
  const project = await findProject(database, caller.organizationId, 'default')
  await publish((await changeProject(database, project, { spendingLimit: 0 })).raised)
  const refused = await ask(caller)
  assert.deepEqual(refused.is, [402, 'insufficient_balance'])
  assert.match(refused.error?.message ?? '', /project's spending limit/)
})

test('a reload that makes a plan postpaid puts the credit limits on it into force', async () => {
  const caller = await service.createCaller('later')
  await change(caller, { creditLimit: PLENTY })
  assert.deepEqual((await ask(caller)).is, [402, 'insufficient_balance'])
  await service.reload(withPlans('postpaid'))
  assert.deepEqual((await ask(caller)).is, ANSWERED)
  await service.reload(withPlans('prepaid'))
  assert.deepEqual((await ask(caller)).is, [402, 'insufficient_balance'])
})

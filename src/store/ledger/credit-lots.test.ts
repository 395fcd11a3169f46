import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { checkLedger } from '../../../test/harness/figures/check-ledger.ts'
import {
  CreditModel,
  histories,
  type Step,
} from '../../../test/harness/figures/credit-histories.ts'
import { addTransfers } from '../../../test/harness/seed/billing-rows.ts'
import { openOrganization } from '../../../test/harness/seed/tenants.ts'
import { createDatabase, urlForProcess } from '../../../test/harness/servers/database.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { CountedUsage } from '../../tenancy/usage-record.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { ChangeRefused } from '../tenants/changes.ts'
import { raiseVersions } from '../tenants/versions.ts'
import { expireCredits, listExpiring, LOTS_MAX, readCredits } from './credit-lots.ts'
import { balanceOf, changeFunds, openFunds } from './double-entry.ts'
import { postCosts } from './post-costs.ts'
import { postTransfers } from './post-transfers.ts'

const testDatabase = await createDatabase()
const patient = { queryTimeoutMs: 60_000 }
const postgres = openPostgres(testDatabase.url, patient)
const asWorker = openPostgres(urlForProcess(testDatabase.url, 'worker'), patient)
endWithFile(postgres, asWorker, testDatabase)
const { database, pool } = postgres

const NOTHING_HELD = { reserved: 0, spent: 0 }

let last = 0

/** The clock of the machine may be set back, but a later grant of as many hours ends later. */
function hoursFromNow(hours: number): Date {
  last = Math.max(last + 1, Date.now() - 2_000)
  return new Date(last + hours * HOUR_MS)
}

type Given = { readonly hours?: number | null; readonly reference?: string }

async function give(organizationId: string, amount: number, more: Given = {}): Promise<string> {
  const { hours = null, reference = randomUUID() } = more
  const by = { reference, madeBy: 'tester', reason: 'a test' }
  const expiresAt = hours === null ? undefined : hoursFromNow(hours)
  const change = { organizationId, amount, kind: 'grant' as const, ...by, expiresAt }
  return (await changeFunds(database, change)).value.transfer.id
}

/** As a refund, a dispute or an adjustment does it. */
async function deduct(organizationId: string, amount: number): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await raiseVersions(transaction, [organizationId])
    const debit = await openFunds(transaction, organizationId)
    const by = { reference: randomUUID(), madeBy: 'tester', reason: 'a test' }
    await postTransfers(transaction, [
      { debit, credit: 'refunds_pending', amount, kind: 'refund', ...by },
    ])
  })
}

async function use(organizationId: string, cost: number): Promise<void> {
  const usage = [{ organizationId, cost: Math.abs(cost) } as CountedUsage]
  const client = await pool.connect()
  try {
    await postCosts(
      client,
      cost > 0 ? { added: usage, removed: [] } : { added: [], removed: usage },
    )
  } finally {
    client.release()
  }
}

/** The clock is that of PostgreSQL, so the ends of lots move instead. */
async function wait(organizationId: string, hours: number): Promise<void> {
  await pool.query(
    `update credit_lots set expires_at = expires_at - $2 * interval '1 hour'
     where organization_id = $1`,
    [organizationId, hours],
  )
}

async function expire(organizationId: string, held = NOTHING_HELD, by = asWorker) {
  return by.database
    .transaction()
    .execute(async (transaction) => expireCredits(transaction, organizationId, async () => held))
}

async function take(id: string, step: Step, amount: number, model: CreditModel): Promise<void> {
  if (step.kind === 'give') await give(id, amount, { hours: step.hours })
  if (step.kind === 'use' && amount > 0) await use(id, amount)
  if (step.kind === 'correct' && amount > 0) await use(id, -amount)
  if (step.kind === 'deduct') await deduct(id, amount)
  if (step.kind === 'wait') await wait(id, amount)
  if (step.kind === 'expire' && (await listExpiring(database, previous(id), 1)).includes(id))
    await expire(id, { reserved: model.pending, spent: model.spent })
}

/** The id before this one. */
function previous(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

async function follow(steps: readonly Step[]): Promise<void> {
  const { id } = await openOrganization(database, 'default')
  const model = new CreditModel()
  for (const step of steps) {
    const left = Math.max(0, model.balance - model.pending)
    const before = (await balanceOf(database, id)).granted
    await take(id, step, model.take(step), model)
    const { lots, rest } = await readCredits(database, id)
    const { balance, granted } = await balanceOf(database, id)
    assert.deepEqual(
      lots.map(({ remaining }) => remaining),
      model.open.map(({ remaining }) => remaining),
    )
    assert.equal(balance, model.balance)
    assert.equal(
      lots.reduce((sum, { remaining }) => sum + remaining, rest),
      balance,
    )
    assert.ok(lots.length === 0 || rest >= 0, 'overdrawn while a lot has money')
    if (step.kind === 'expire') assert.ok(before - granted <= left, 'took what was held')
  }
}

test('any history of grants, usage, refunds and expiry leaves the lots of the model', async () => {
  await fc.assert(fc.asyncProperty(histories, follow), { numRuns: 30 })
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('credits expire an hour after their end, and return where they came from', async () => {
  const { id } = await openOrganization(database, 'default')
  const lot = await give(id, 10, { hours: 1 })
  await give(id, 5)
  await use(id, 4)
  await wait(id, 1)
  assert.deepEqual(await listExpiring(database, previous(id), 1), [])
  assert.deepEqual(await expire(id), [])
  await pool.query(`update credit_lots set expires_at = expires_at - interval '59 minutes'`)
  assert.deepEqual(await expire(id), [])
  assert.equal((await balanceOf(database, id)).balance, 11)
  await wait(id, 1)
  assert.equal((await expire(id)).length, 1)
  assert.equal((await balanceOf(database, id)).balance, 5)
  const { rows } = await pool.query(
    `select credit_account, amount, kind, reference from transfers where debit_account = $1`,
    [`funds:${id}`],
  )
  const transfer = { credit_account: 'grants', amount: 6, kind: 'expiry' }
  assert.deepEqual(rows, [{ ...transfer, reference: `expired:${lot}:1` }])
})

test('what requests hold is left, and expires in a second part if it was not used', async () => {
  const { id } = await openOrganization(database, 'default')
  const lot = await give(id, 10, { hours: 1 })
  await give(id, 100)
  await wait(id, 2)
  // Of 7, 3 are used and not posted.
  await expire(id, { reserved: 4, spent: 3 })
  assert.equal((await readCredits(database, id)).lots[0]?.remaining, 7)
  await use(id, 3)
  await expire(id, { reserved: 0, spent: 3 })
  const { granted, spent, balance } = await balanceOf(database, id)
  assert.deepEqual({ granted, spent, balance }, { granted: 103, spent: 3, balance: 100 })
  const { rows } = await pool.query(
    `select amount, reference from transfers where debit_account = $1 order by id`,
    [`funds:${id}`],
  )
  assert.deepEqual(
    rows.map(({ amount, reference }) => [amount, reference]),
    [
      [3, `expired:${lot}:1`],
      [4, `expired:${lot}:2`],
    ],
  )
})

test('several workers at once take a lot back once', async () => {
  const { id } = await openOrganization(database, 'default')
  for (const hours of [1, 1, 2]) await give(id, 10, { hours })
  await use(id, 3)
  await wait(id, 9)
  const raised = await Promise.all(Array.from({ length: 4 }, async () => expire(id)))
  assert.equal(raised.flat().length, 1)
  assert.equal((await balanceOf(database, id)).balance, 0)
  const { rowCount } = await pool.query(`select from transfers where debit_account = $1`, [
    `funds:${id}`,
  ])
  assert.equal(rowCount, 3)
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('the worker takes back no more than remains, and nothing before the time', async () => {
  const { id } = await openOrganization(database, 'default')
  const lot = await give(id, 10, { hours: 1 })
  const call = async (taken: number) =>
    asWorker.pool.query('select expire_credit($1, $2, uuidv7(), uuidv7())', [lot, taken])
  await assert.rejects(call(1), /cannot expire/)
  await wait(id, 2)
  for (const taken of [0, -1, 11]) await assert.rejects(call(taken), /cannot expire/)
  // The lot is not settled, and the balance is less.
  await use(id, 8)
  await assert.rejects(call(3), /cannot expire/)
  await call(2)
  assert.equal((await balanceOf(database, id)).balance, 0)
})

test('an expired credit is in the audit log and its streams, at the time of its id', async () => {
  const { id } = await openOrganization(database, 'default')
  await pool.query(`insert into books (currency) values ('USD') on conflict do nothing`)
  await pool.query(
    `insert into audit_streams (id, organization_id, url, sealed_secret)
     values (uuidv7(), $1, 'https://example.com', '')`,
    [id],
  )
  const lot = await give(id, 1_500_000, { hours: 1 })
  await wait(id, 2)
  await expire(id)
  const { rows } = await pool.query(
    `select actor_kind, actor_label, action, target_kind, target_id, changes -> 'amount' as amount,
       made_at = uuid_extract_timestamp(id) as "isItsTime"
     from audit_stream_events join audit_events using (made_at)
     where event_id = audit_events.id and organization_id = $1`,
    [id],
  )
  const amount = [null, { amount: '1.50', amount_micro: 1_500_000, currency: 'USD' }]
  const target = { target_kind: 'credit', target_id: lot }
  const actor = { actor_kind: 'system', actor_label: 'credits', action: 'credit.expire' }
  assert.deepEqual(rows, [{ ...actor, ...target, amount, isItsTime: true }])
})

test('a repeated grant has the expiry of the first one, and another one is refused', async () => {
  const { id } = await openOrganization(database, 'default')
  const by = { reference: randomUUID(), madeBy: 'tester', reason: 'a test' }
  const change = { organizationId: id, amount: 10, kind: 'grant' as const, ...by }
  const expiresAt = new Date(Date.now() + HOUR_MS)
  await changeFunds(database, { ...change, expiresAt })
  assert.equal((await changeFunds(database, { ...change, expiresAt })).value.repeated, true)
  const other = new Date(expiresAt.getTime() + 1)
  for (const at of [other, undefined])
    await assert.rejects(changeFunds(database, { ...change, expiresAt: at }), ChangeRefused)
  const { lots } = await readCredits(database, id)
  assert.deepEqual([lots.length, lots[0]?.remaining], [1, 10])
})

test('an organization has a bounded number of credits that expire', async () => {
  const { id } = await openOrganization(database, 'default')
  await give(id, LOTS_MAX)
  await addTransfers(pool, id, LOTS_MAX, false)
  await pool.query(
    `insert into credit_lots (id, organization_id, amount, remaining, attributed, expires_at)
     select id, $1::uuid, 1, 1, 0, now() from transfers where credit_account = $2
     order by id offset 2`,
    [id, `funds:${id}`],
  )
  await give(id, 1, { hours: 1 })
  await assert.rejects(give(id, 1, { hours: 1 }), ChangeRefused)
  assert.equal((await balanceOf(database, id)).balance, LOTS_MAX + 1)
  await give(id, 1)
})

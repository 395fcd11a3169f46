import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { endWithFile } from '../../../../test/harness/end-with-file.ts'
import { checkLedger } from '../../../../test/harness/figures/check-ledger.ts'
import { openOrganization } from '../../../../test/harness/seed/tenants.ts'
import { createDatabase, urlForProcess } from '../../../../test/harness/servers/database.ts'
import { createVoucherCode } from '../../../tenancy/money/voucher-code.ts'
import { openPostgres } from '../../postgres/postgres.ts'
import { createAccount } from '../../tenants/accounts.ts'
import { lockOrganization } from '../../tenants/organizations.ts'
import { expireCredits, LOTS_MAX, readCredits } from '../credit-lots.ts'
import { balanceOf, changeFunds } from '../double-entry.ts'
import { redeemVoucher } from './redeem-voucher.ts'
import { findVouchers, insertVouchers, revokeVoucher } from './vouchers.ts'

const testDatabase = await createDatabase()
const patient = { queryTimeoutMs: 60_000 }
// Half of fifty work at once, and nobody waits long for a connection.
const asConsole = openPostgres(urlForProcess(testDatabase.url, 'console'), {
  ...patient,
  connectionsMax: 25,
})
const asWorker = openPostgres(urlForProcess(testDatabase.url, 'worker'), patient)
const owner = openPostgres(testDatabase.url, patient)
endWithFile(asConsole, asWorker, owner, testDatabase)
const { database } = asConsole

const account = await createAccount(owner.database, {
  email: 'owner@example.com',
  state: 'active',
  registered: true,
})
const redeemer = { accountId: account.id, madeBy: account.email }

type Kind = { readonly most?: number; readonly amount?: number; readonly days?: number | null }

async function make({ most = 1, amount = 10, days = null }: Kind = {}) {
  const { hash } = createVoucherCode()
  const voucher = {
    hash,
    amount,
    organizations_max: most,
    expires_at: null,
    credit_days: days,
    note: null,
    maker: { name: 'tester' },
  }
  const [id] = await database.transaction().execute((each) => insertVouchers(each, [voucher]))
  return { id: id!, hash }
}

/** As the console does it. */
async function redeem(organizationId: string, { hash }: { readonly hash: Buffer }) {
  return database.transaction().execute(async (transaction) => {
    await lockOrganization(transaction, organizationId)
    return redeemVoucher(transaction, { ...redeemer, hash, organizationId })
  })
}

async function openMany(count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => openOrganization(owner.database, 'default'))
  return (await Promise.all(made)).map(({ id }) => id)
}

async function balances(ids: readonly string[]): Promise<number[]> {
  return Promise.all(ids.map(async (id) => (await balanceOf(database, id)).balance))
}

async function revoke(id: string): Promise<void> {
  await database.transaction().execute((transaction) => revokeVoucher(transaction, id))
}

const count = (values: readonly unknown[], wanted: unknown) =>
  values.filter((value) => value === wanted).length

test('50 organizations redeem a voucher for 3 at once: exactly 3 are credited', async () => {
  const ids = await openMany(50)
  const voucher = await make({ most: 3 })
  const redeemed = await Promise.all(ids.map((id) => redeem(id, voucher)))
  assert.equal(count(redeemed, undefined), 47)
  const after = await balances(ids)
  assert.deepEqual([count(after, 10), count(after, 0)], [3, 47])
  const [row] = await findVouchers(database, [voucher.id])
  assert.deepEqual([row!.redeemed, row!.state], [3, 'used_up'])
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('an organization that redeems a voucher ten times at once is credited once', async () => {
  const [id] = await openMany(1)
  const voucher = await make({ most: 5 })
  const redeemed = await Promise.all(Array.from({ length: 10 }, () => redeem(id!, voucher)))
  assert.equal(
    count(
      redeemed.map((each) => each?.repeated),
      false,
    ),
    1,
  )
  assert.equal(new Set(redeemed.map((each) => each?.transferId)).size, 1)
  assert.deepEqual(await balances([id!]), [10])
  assert.equal((await findVouchers(database, [voucher.id]))[0]!.redeemed, 1)
})

test('a voucher redeemed and revoked at once is either, and the books agree', async () => {
  const ids = await openMany(20)
  for (const id of ids) {
    const voucher = await make()
    const [redeemed] = await Promise.all([redeem(id, voucher), revoke(voucher.id)])
    assert.deepEqual(await balances([id]), [redeemed === undefined ? 0 : 10])
    assert.equal(await redeem((await openMany(1))[0]!, voucher), undefined)
  }
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('grants, vouchers and other vouchers of the same organizations do not deadlock', async () => {
  const ids = await openMany(4)
  const vouchers = await Promise.all([1, 2, 3].map((days) => make({ most: 4, days })))
  const grant = (organizationId: string, at: number) =>
    changeFunds(database, {
      organizationId,
      amount: 1,
      kind: 'grant',
      reference: `grant ${organizationId} ${at}`,
      madeBy: 'tester',
      reason: 'a test',
    })
  await Promise.all(
    ids.flatMap((id) => vouchers.flatMap((voucher, at) => [redeem(id, voucher), grant(id, at)])),
  )
  assert.deepEqual(new Set(await balances(ids)), new Set([33]))
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('a credit that expires goes back to the account of vouchers', async () => {
  const [id] = await openMany(1)
  const sum = async () => {
    const { rows } = await owner.pool.query<{ left: number }>(
      `select credits - debits as left from ledger_accounts where id = 'vouchers'`,
    )
    return rows[0]!.left
  }
  const before = await sum()
  const redeemed = await redeem(id!, await make({ days: 90 }))
  const { lots, rest } = await readCredits(database, id!)
  assert.deepEqual([lots.map(({ remaining }) => remaining), rest], [[10], 0])
  assert.equal(Math.round((redeemed!.creditExpiresAt!.getTime() - Date.now()) / 86_400_000), 90)
  assert.equal(await sum(), before - 10)
  await owner.pool.query(
    `update credit_lots set expires_at = now() - interval '2 hours' where organization_id = $1`,
    [id],
  )
  await asWorker.database
    .transaction()
    .execute((transaction) =>
      expireCredits(transaction, id!, async () => ({ reserved: 0, spent: 0 })),
    )
  assert.deepEqual([await sum(), await balances([id!])], [before, [0]])
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('an organization with too many credits that expire uses up no voucher', async () => {
  const [id] = await openMany(1)
  for (let made = 0; made < LOTS_MAX; made += 1) await redeem(id!, await make({ days: 1 }))
  const voucher = await make({ days: 1 })
  await assert.rejects(redeem(id!, voucher), /100 credits that expire already/)
  assert.equal((await findVouchers(database, [voucher.id]))[0]!.redeemed, 0)
  assert.deepEqual(await balances([id!]), [LOTS_MAX * 10])
  assert.equal((await redeem(id!, await make()))!.repeated, false)
})

const histories = fc.record({
  most: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 4 }) },
      { weight: 1, arbitrary: fc.constant('revoke' as const) },
    ),
    { maxLength: 12 },
  ),
})

test('any history of a voucher credits each organization once, up to its bound', async () => {
  const run = async ({ most, steps }: { most: number; steps: readonly (number | 'revoke')[] }) => {
    const ids = await openMany(5)
    const voucher = await make({ most })
    const has = new Set<number>()
    let isRevoked = false
    for (const step of steps) {
      if (step === 'revoke') {
        await revoke(voucher.id)
        isRevoked = true
        continue
      }
      const redeemed = await redeem(ids[step]!, voucher)
      if (has.has(step)) assert.equal(redeemed?.repeated, true)
      else if (isRevoked || has.size === most) assert.equal(redeemed, undefined)
      else {
        assert.equal(redeemed?.repeated, false)
        has.add(step)
      }
    }
    assert.deepEqual(
      await balances(ids),
      ids.map((_, at) => (has.has(at) ? 10 : 0)),
    )
  }
  await fc.assert(fc.asyncProperty(histories, run), { numRuns: 30 })
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

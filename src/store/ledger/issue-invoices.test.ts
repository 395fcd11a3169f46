import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addUsage } from '../../../test/harness/seed/billing-rows.ts'
import { openOrganization, type Organization } from '../../../test/harness/seed/tenants.ts'
import { createDatabase, urlForProcess } from '../../../test/harness/servers/database.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'
import { issueStatements, type InvoiceRules } from './issue-statements.ts'

const [SEPTEMBER, OCTOBER] = ['2026-09-01', '2026-10-01']
const RULES: InvoiceRules = { currency: 'USD', postpaidPlans: ['after'], daysUntilDue: 30 }

const cleanUp = new AsyncDisposableStack()
after(async () => cleanUp.disposeAsync())
let owner: Postgres
let worker: Postgres

before(async () => {
  const database = cleanUp.use(await createDatabase())
  owner = cleanUp.use(openPostgres(database.url, { queryTimeoutMs: 30_000 }))
  // Money is written with the rights that the worker has.
  worker = cleanUp.use(
    openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: 30_000 }),
  )
})

/** Used so much in a month, in micro-units. */
async function open(
  costs: Readonly<Record<string, number>>,
  plan = 'after',
): Promise<Organization> {
  const organization = await openOrganization(owner.database, plan)
  await owner.pool.query(`update organizations set created_at = '2026-07-31' where id = $1`, [
    organization.id,
  ])
  for (const [month, cost] of Object.entries(costs))
    await addUsage(owner.pool, organization, cost, Date.parse(`${month}-20T00:00:00Z`))
  return organization
}

async function issue(month: string, rules: InvoiceRules | undefined = RULES): Promise<void> {
  while ((await issueStatements(worker.pool, month, 30, rules)) === 30);
}

async function invoicesOf({ id }: Organization): Promise<string[]> {
  const { rows } = await owner.pool.query<{ invoice: string }>(
    `select statement_month || ' ' || amount || ' ' || state as invoice from payments
     where organization_id = $1 order by id`,
    [id],
  )
  return rows.map(({ invoice }) => invoice)
}

test('what is owed until the end of a month is an invoice, once, whoever issues it', async () => {
  const organization = await open({ '2026-09': 80_129_999, '2026-10': 5_000_000 })
  await Promise.all([issue(SEPTEMBER), issue(SEPTEMBER), issue(SEPTEMBER)])
  assert.deepEqual(await invoicesOf(organization), ['2026-09 80120000 created'])
})

test('what an earlier invoice will take from the balance is not asked for again', async () => {
  const organization = await open({ '2026-09': 80_000_000, '2026-10': 50_000_000 })
  await issue(SEPTEMBER)
  await issue(OCTOBER)
  assert.deepEqual(await invoicesOf(organization), [
    '2026-09 80000000 created',
    '2026-10 50000000 created',
  ])
})

test('what a void invoice asked for is on the next one', async () => {
  const organization = await open({ '2026-09': 80_000_000, '2026-10': 50_000_000 })
  await issue(SEPTEMBER)
  await owner.pool.query(`update payments set state = 'expired' where organization_id = $1`, [
    organization.id,
  ])
  await issue(OCTOBER)
  assert.deepEqual((await invoicesOf(organization)).at(-1), '2026-10 130000000 created')
})

test('nothing is asked for below 50 cents, of other plans, and without payments', async () => {
  const little = await open({ '2026-09': 499_999 })
  const prepaid = await open({ '2026-09': 80_000_000 }, 'before')
  const deleted = await open({ '2026-09': 80_000_000 })
  await owner.pool.query(`update organizations set deleted_at = '2026-10-02' where id = $1`, [
    deleted.id,
  ])
  const credited = await open({ '2026-09': 80_000_000 })
  await owner.pool.query(
    `insert into ledger_accounts (id, organization_id, credits) values ($1, $2, 90000000)`,
    [`funds:${credited.id}`, credited.id],
  )
  await issue(SEPTEMBER)
  for (const each of [little, prepaid, deleted, credited])
    assert.deepEqual(await invoicesOf(each), [])
  const { rows } = await owner.pool.query(
    'select from statements where organization_id = any($1)',
    [[little, prepaid, deleted, credited].map(({ id }) => id)],
  )
  assert.equal(rows.length, 4, 'all have a statement')
  const without = await open({ '2026-09': 80_000_000 })
  while ((await issueStatements(worker.pool, SEPTEMBER, 30)) === 30);
  assert.deepEqual(await invoicesOf(without), [])
  await issue(OCTOBER)
  assert.deepEqual(await invoicesOf(little), [], 'it is carried on')
})

test('nothing is asked for that the provider would not charge in the currency', async () => {
  const [little, enough] = [
    await open({ '2026-09': 2_999_999 }),
    await open({ '2026-09': 3_000_000 }),
  ]
  await issue(SEPTEMBER, { ...RULES, currency: 'SEK' })
  assert.deepEqual(await invoicesOf(little), [])
  assert.deepEqual(await invoicesOf(enough), ['2026-09 3000000 created'])
})

test('its id depends on organization and month, so it is the same after a restore', async () => {
  const organization = await open({ '2026-09': 80_000_000 })
  const idOf = async () => {
    const { rows } = await owner.pool.query<{ id: string }>(
      'select id from payments where organization_id = $1',
      [organization.id],
    )
    return rows[0]?.id
  }
  await issue(SEPTEMBER)
  const first = await idOf()
  assert.match(first ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  await owner.pool.query('delete from payments where organization_id = $1', [organization.id])
  await owner.pool.query('delete from statement_cells where organization_id = $1', [
    organization.id,
  ])
  await owner.pool.query('delete from statements where organization_id = $1', [organization.id])
  await issue(SEPTEMBER)
  assert.equal(await idOf(), first)
})

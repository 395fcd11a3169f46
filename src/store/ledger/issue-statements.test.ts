import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import * as fc from 'fast-check'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { openOrganization, type Organization } from '../../../test/harness/seed/tenants.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'
import { issueStatements } from './issue-statements.ts'

const ORGANIZATIONS = 100
const [AUGUST, SEPTEMBER, OCTOBER] = ['2026-08-01', '2026-09-01', '2026-10-01']
const SUMS = 'requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost'
const summed = SUMS.split(', ').map((name) => `sum(${name})::text as ${name}`)

const usage = fc.record({
  // Few, so that what is late meets what was there.
  organization: fc.integer({ min: 0, max: 4 }),
  project: fc.integer({ min: 0, max: 1 }),
  credential: fc.integer({ min: 0, max: 1 }),
  model: fc.constantFrom('example/large', 'example/small'),
  day: fc.integer({ min: 1, max: 60 }),
  // A record that is replaced takes something away.
  tokens: fc.integer({ min: -50, max: 5_000 }),
})
type Usage = typeof usage extends fc.Arbitrary<infer One> ? One : never

const cleanUp = new AsyncDisposableStack()
after(async () => cleanUp.disposeAsync())
let url: string
let postgres: Postgres
let organizations: readonly Organization[]
const credentials = [randomUUID(), randomUUID()]
const projects = [randomUUID(), randomUUID()]

before(async () => {
  const database = cleanUp.use(await createDatabase())
  url = database.url
  postgres = cleanUp.use(openPostgres(url, { queryTimeoutMs: 30_000 }))
  const { pool } = postgres
  organizations = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, async () => openOrganization(postgres.database, 'free')),
  )
  await pool.query(`update organizations set created_at = '2026-07-31T23:00Z'`)
})

beforeEach(async () => {
  await postgres.pool.query('truncate statements, statement_cells, usage_daily')
})

/** Adds to the sums of days since 1 August 2026. */
async function post(used: readonly Usage[]): Promise<void> {
  for (const { organization, project, credential, model, day, tokens } of used)
    await postgres.pool.query(
      `insert into usage_daily (day, organization_id, project_id, credential_id, model, ${SUMS})
       values (date '2026-07-31' + $1::integer, $2, $3, $4, $5, 1, $6::bigint, 0, 3, 1,
         $6::bigint * 7)
       on conflict (organization_id, day, project_id, credential_id, model) do update set
         requests = usage_daily.requests + 1, cost = usage_daily.cost + excluded.cost,
         prompt_tokens = usage_daily.prompt_tokens + excluded.prompt_tokens`,
      [
        day,
        organizations[organization]!.id,
        projects[project],
        credentials[credential],
        model,
      ].concat([tokens] as never[]),
    )
}

async function issue(month: string): Promise<void> {
  while ((await issueStatements(postgres.pool, month, 30)) === 30);
}

/** What is in one of two and not in the other, in any sum. */
async function differences(): Promise<unknown[]> {
  const by = 'organization_id, used_in, project_id, model'
  const { rows } = await postgres.pool.query(`
    with used as (
      select organization_id, date_trunc('month', day::timestamp)::date as used_in, project_id,
        model, ${summed.join(', ')}
      from usage_daily where day < '2026-10-01' group by 1, 2, 3, 4
    ), stated as (
      select ${by}, ${summed.join(', ')} from statement_cells group by ${by}
    ), uneven as (
      (select ${by}, ${SUMS} from used except select ${by}, ${SUMS} from stated)
      union all (select ${by}, ${SUMS} from stated except select ${by}, ${SUMS} from used)
    )
    select * from uneven where (${SUMS}) <> ('0', '0', '0', '0', '0', '0')`)
  return rows
}

test('all statements together have each cell of usage once, also what is posted late', async () => {
  const batches = fc.array(fc.array(usage, { maxLength: 60 }), { minLength: 2, maxLength: 2 })
  const property = fc.asyncProperty(batches, async ([first, late]) => {
    await postgres.pool.query('truncate statements, statement_cells, usage_daily')
    await post(first!)
    await issue(AUGUST)
    await post(late!)
    await issue(SEPTEMBER)
    assert.deepEqual(await differences(), [])
  })
  await fc.assert(property, { numRuns: 15 })
})

test('a statement is the sum of its cells, and is empty without usage', async () => {
  await post(fc.sample(usage, { numRuns: 200, seed: 1 }))
  await issue(AUGUST)
  const { rows } = await postgres.pool.query(`
    select count(*), count(*) filter (where s.cost <> coalesce(c.cost, 0)
      or s.requests <> coalesce(c.requests, 0)) as uneven
    from statements s left join (
      select organization_id, month, sum(cost) as cost, sum(requests) as requests
      from statement_cells group by 1, 2) c using (organization_id, month)`)
  assert.deepEqual(rows, [{ count: ORGANIZATIONS, uneven: 0 }])
})

test('two workers that issue at once issue each statement once', async () => {
  await post(fc.sample(usage, { numRuns: 300, seed: 2 }).map((one) => ({ ...one, day: 3 })))
  await Promise.all([issue(AUGUST), issue(AUGUST), issue(AUGUST)])
  await issue(SEPTEMBER)
  assert.deepEqual(await differences(), [])
})

test('an organization that began later or had ended has no statement of the month', async () => {
  const { pool } = postgres
  const [later, deleted] = organizations.map(({ id }) => id)
  await pool.query(`update organizations set created_at = '2026-10-01' where id = $1`, [later])
  await pool.query(`update organizations set deleted_at = '2026-08-31T23:59Z' where id = $1`, [
    deleted,
  ])
  await issue(SEPTEMBER)
  const { rows } = await pool.query('select 1 from statements where organization_id = any($1)', [
    [later, deleted],
  ])
  assert.deepEqual(rows, [])
  await issue(OCTOBER)
  const { rows: october } = await pool.query<{ organization_id: string }>(
    'select organization_id from statements where organization_id = any($1)',
    [[later, deleted]],
  )
  assert.deepEqual(october, [{ organization_id: later }])
})

test('months begin and end with UTC, whatever the time zone of PostgreSQL', async () => {
  const [, , deleted] = organizations.map(({ id }) => id)
  await postgres.pool.query(
    `update organizations set deleted_at = '2026-08-31T23:59Z' where id = $1`,
    [deleted],
  )
  const zone = encodeURIComponent('-c TimeZone=Pacific/Kiritimati')
  await using elsewhere = openPostgres(`${url}?options=${zone}`)
  while ((await issueStatements(elsewhere.pool, SEPTEMBER, 30)) === 30);
  const { rows } = await postgres.pool.query(
    'select 1 from statements where organization_id = $1',
    [deleted],
  )
  assert.deepEqual(rows, [])
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import * as fc from 'fast-check'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { sumUsage, USAGE_GROUPS, type UsageFilter, type UsageGroup } from './sum-usage.ts'
import { postUsage } from './usage-records.ts'

const ORGANIZATION = randomUUID()
const FIRST_DAY_MS = Date.UTC(2026, 4, 31)
const DAYS = 3
const MODELS = ['example/large', 'example/small']
const PROJECTS = [randomUUID(), randomUUID()]
const ACCOUNTS = [randomUUID(), randomUUID()]
/** Keys of two members, a key of the organization and the playground of one member. */
const CREDENTIALS = [
  { credentialId: randomUUID(), accountId: ACCOUNTS[0]!, credentialKind: 'api_key' },
  { credentialId: randomUUID(), accountId: ACCOUNTS[1]!, credentialKind: 'api_key' },
  { credentialId: randomUUID(), accountId: null, credentialKind: 'api_key' },
  { credentialId: ACCOUNTS[0]!, accountId: ACCOUNTS[0]!, credentialKind: 'playground' },
] as const

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })

endWithFile(postgres, database)

const record = fc.record({
  atMs: fc.integer({ min: FIRST_DAY_MS, max: FIRST_DAY_MS + DAYS * DAY_MS - 1 }),
  credential: fc.constantFrom(...CREDENTIALS),
  projectId: fc.constantFrom(...PROJECTS),
  model: fc.constantFrom(...MODELS),
  completionTokens: fc.integer({ min: 0, max: 1_000 }),
  outcome: fc.constantFrom('completed', 'failed', 'abandoned', 'lost'),
  others: fc.boolean(),
})

/** Mostly absent: with many filters at once nothing is left to compare. */
const optional = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const question = fc.record({
  by: fc.uniqueArray(fc.constantFrom(...USAGE_GROUPS), { maxLength: 2 }),
  projectId: optional(fc.constantFrom(...PROJECTS)),
  credentialId: optional(fc.constantFrom(...CREDENTIALS.map(({ credentialId }) => credentialId))),
  accountId: optional(fc.constantFrom(...ACCOUNTS)),
  model: optional(fc.constantFrom(...MODELS)),
  fromHour: fc.integer({ min: 0, max: DAYS * 24 - 1 }),
  hours: fc.integer({ min: 1, max: DAYS * 24 }),
  wholeDays: fc.boolean(),
})

const OPENED_AT = `to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint)
  / 1000.0) at time zone 'utc'`

const EXPRESSIONS: Readonly<Record<UsageGroup, string>> = {
  day: `to_char(${OPENED_AT}, 'YYYY-MM-DD')`,
  hour: `to_char(${OPENED_AT}, 'YYYY-MM-DD"T"HH24":00Z"')`,
  model: 'model',
  project: 'project_id::text',
  key: 'credential_id::text',
  member: 'account_id::text',
}

const COLUMNS = {
  projectId: 'project_id',
  credentialId: 'credential_id',
  accountId: 'account_id',
  model: 'model',
} as const

/** The same question asked of the records themselves, in plain SQL. */
async function sumRecordsBy(
  by: readonly UsageGroup[],
  filter: UsageFilter,
  fromMs: number,
  toMs: number,
) {
  const groups = by.map((group) => EXPRESSIONS[group])
  const values: unknown[] = [ORGANIZATION, new Date(fromMs), new Date(toMs)]
  const conditions = Object.entries(COLUMNS).flatMap(([name, column]) => {
    const value = filter[name as keyof UsageFilter]
    if (value === undefined) return []
    values.push(value)
    return [`and ${column}::text = $${values.length}`]
  })
  const { rows } = await postgres.pool.query<Record<string, unknown>>(
    `select json_build_array(${groups.join(', ')}) as groups, count(*)::bigint as requests,
       (count(*) filter (where outcome <> 'completed'))::bigint as failed,
       sum(prompt_tokens)::bigint as "promptTokens", sum(cached_tokens)::bigint as "cachedTokens",
       sum(completion_tokens)::bigint as "completionTokens",
       sum(reasoning_tokens)::bigint as "reasoningTokens", sum(cost)::bigint as cost
     from usage_records where organization_id = $1
       and (${OPENED_AT}) at time zone 'utc' >= $2 and (${OPENED_AT}) at time zone 'utc' < $3
       ${conditions.join(' ')}
     ${groups.length === 0 ? 'having count(*) > 0' : `group by ${groups.join(', ')}`}`,
    values,
  )
  return rows
}

function inOrder(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

test('sums by any groups and filters equal plain SQL over the records', async () => {
  const property = fc.asyncProperty(
    fc.array(record, { minLength: 10, maxLength: 60 }),
    fc.array(question, { minLength: 5, maxLength: 10 }),
    async (records, questions) => {
      await postgres.pool.query('truncate usage_records, usage_hourly, usage_daily')
      const posted = records.map(({ atMs, credential, others, ...given }) =>
        usageRecord({
          ...given,
          ...credential,
          id: uuidV7(atMs),
          organizationId: others ? randomUUID() : ORGANIZATION,
        }),
      )
      await postUsage(postgres.pool, posted.map(logged))
      for (const { by, fromHour, hours, wholeDays, ...given } of questions) {
        const unit = wholeDays ? DAY_MS : HOUR_MS
        const fromMs = FIRST_DAY_MS + Math.floor((fromHour * HOUR_MS) / unit) * unit
        const toMs = fromMs + Math.ceil((hours * HOUR_MS) / unit) * unit
        const filter = Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        )
        const asked = { by, filter, limit: 1_000 }
        const sums = await sumUsage(postgres.database, ORGANIZATION, { fromMs, toMs }, asked)
        assert.deepEqual(
          inOrder(sums.map((sum) => ({ ...sum, groups: sum.groups.map(({ value }) => value) }))),
          inOrder(await sumRecordsBy(by, filter, fromMs, toMs)),
        )
      }
    },
  )
  await fc.assert(property, { numRuns: 30 })
})

test('failures are unknown where requests were summed before they were counted', async () => {
  await postgres.pool.query('truncate usage_records, usage_hourly, usage_daily')
  const failed = usageRecord({ organizationId: ORGANIZATION, outcome: 'failed' })
  await postUsage(postgres.pool, [logged(failed)])
  const fromMs = Math.floor(failed.settledAtMs / DAY_MS) * DAY_MS
  const sum = () =>
    sumUsage(
      postgres.database,
      ORGANIZATION,
      { fromMs, toMs: fromMs + DAY_MS },
      { by: [], limit: 1 },
    )
  assert.equal((await sum())[0]?.failed, 1)
  await postgres.pool.query('update usage_daily set failed = null')
  await postUsage(postgres.pool, [logged({ ...failed, id: uuidV7(failed.settledAtMs) })])
  assert.equal((await sum())[0]?.failed, null)
})

test('all playground use of an account is one key, and a limit bounds the groups', async () => {
  await postgres.pool.query('truncate usage_records, usage_hourly, usage_daily')
  const [account, projectId] = [ACCOUNTS[0]!, PROJECTS[0]!]
  const played = {
    credentialId: account,
    accountId: account,
    credentialKind: 'playground',
  } as const
  const made = { organizationId: ORGANIZATION, projectId, id: uuidV7(FIRST_DAY_MS) }
  await postUsage(postgres.pool, [
    logged(usageRecord({ ...made, ...played })),
    logged(usageRecord({ ...made, ...played, id: uuidV7(FIRST_DAY_MS + HOUR_MS) })),
    logged(usageRecord({ ...made, id: uuidV7(FIRST_DAY_MS), accountId: account })),
  ])
  const period = { fromMs: FIRST_DAY_MS, toMs: FIRST_DAY_MS + DAY_MS }
  const sum = (by: UsageGroup[], limit: number) =>
    sumUsage(postgres.database, ORGANIZATION, period, { by, limit })
  const keys = await sum(['key'], 10)
  const [playground] = keys.filter(({ groups }) => groups[0]?.playground)
  assert.deepEqual(
    [keys.length, playground?.requests, playground?.groups[0]?.value],
    [2, 2, account],
  )
  const members = await sum(['member'], 10)
  assert.deepEqual(
    members.map(({ groups, requests }) => [groups[0]?.value, requests]),
    [[account, 3]],
  )
  assert.equal((await sum(['key'], 1)).length, 1)
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { createRandom } from '../../../test/harness/figures/random.ts'
import { rowsRead } from '../../../test/harness/servers/rows-read.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { DAY_MS } from '../../lib/time.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import { createPartitions, dayOf } from '../postgres/partitions.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { readRecentUsage } from './recent-usage.ts'
import { postUsage } from './usage-records.ts'

const SUMS = 'requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost'

const random = createRandom(20_261_115)
const organizations = Array.from({ length: 4 }, () => ({
  organizationId: randomUUID(),
  projects: [randomUUID(), randomUUID()],
}))
const keys = Array.from({ length: 5 }, () => randomUUID())

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
endWithFile(postgres, database)

/** Of today or yesterday. */
function made(): UsageRecord {
  const { organizationId, projects } = random.pick(organizations)
  const atMs = Date.now() - random.between(0, 1) * DAY_MS
  return usageRecord({
    id: uuidV7(atMs),
    organizationId,
    projectId: random.pick(projects),
    credentialId: random.pick(keys),
    outcome: random.chance(0.3) ? 'lost' : 'completed',
    completionTokens: random.between(0, 50),
  })
}

async function post(records: readonly UsageRecord[]): Promise<void> {
  // A partition that another one is posting is skipped, so this retries as a worker would.
  for (const record of records)
    while ((await postUsage(postgres.pool, [logged(record)])).posted === 0);
}

/** Days and projects whose total is not the sum of their keys and models. */
async function findWrong(): Promise<unknown[]> {
  const names = SUMS.split(', ')
  const sums = names.map((name) => `sum(${name})::bigint as ${name}`).join(', ')
  const same = names.map((name) => `total.${name} = used.${name}`).join(' and ')
  const { rows } = await postgres.pool.query(
    `select * from usage_totals as total full join (
       select organization_id, day, project_id, ${sums} from usage_daily group by 1, 2, 3
     ) as used using (organization_id, day, project_id)
     where (${same}) is not true`,
  )
  return rows
}

test('totals are the sums of keys and models, also when lost records are replaced', async () => {
  const records = Array.from({ length: 300 }, made)
  for (let at = 0; at < records.length; at += 50)
    await postUsage(postgres.pool, records.slice(at, at + 50).map(logged))
  assert.deepEqual(await findWrong(), [])
  const replaced = records.filter(({ outcome }) => outcome === 'lost').slice(0, 40)
  const better = replaced.map((record) =>
    usageRecord({ ...record, outcome: 'completed', completionTokens: 90, cost: 12_345 }),
  )
  await postUsage(postgres.pool, better.map(logged))
  assert.deepEqual(await findWrong(), [])
  const { rows } = await postgres.pool.query<{ requests: number }>(
    'select sum(requests)::bigint as requests from usage_totals',
  )
  assert.equal(rows[0]?.requests, 300)
})

test('partitions that are made later move rows without counting them again', async () => {
  await createPartitions(postgres.pool, 'usage_daily', '2040-01-01', '2040-01-31')
  await post([usageRecord({ id: uuidV7(Date.UTC(2041, 5, 1)) })])
  await createPartitions(postgres.pool, 'usage_daily', '2041-06-01', '2041-06-30')
  assert.deepEqual(await findWrong(), [])
})

test('a month costs a row for each day and project, whatever the number of keys', async () => {
  const [first] = organizations
  const { organizationId, projects } = first!
  await postgres.pool.query(
    `insert into usage_daily
       (day, organization_id, project_id, credential_id, model, ${SUMS})
     select $1::date - d, $2, $3, md5(k::text)::uuid, 'example/many', 1, 1, 0, 1, 0, 1
     from generate_series(0, 30) as d, generate_series(1, 300) as k`,
    [dayOf(Date.now()), organizationId, projects[0]],
  )
  assert.deepEqual(await findWrong(), [])
  const read = await rowsRead(postgres, /^usage_(daily|totals)/, (tables) =>
    readRecentUsage(tables, organizationId, Date.now()),
  )
  // Rows of other organizations are read too if the planner reads the small table as a whole.
  assert.ok(read <= 31 + 4 * 2 * 2, `${read} rows`)
})

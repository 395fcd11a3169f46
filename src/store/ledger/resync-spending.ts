import type { Pool } from 'pg'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { FIRST_ID } from '../postgres/page.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { parseHash } from '../valkey/parse-hash.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import { type Valkey } from '../valkey/valkey.ts'

const PAGE_ORGANIZATIONS = 500
const CALLS_AT_ONCE = 32

// KEYS: the stream, the funds. Returns the funds, or nothing while records are not yet posted.
const READ = `
if redis.call('XLEN', KEYS[1]) > 0 then return {} end
return redis.call('HGETALL', KEYS[2])`

// KEYS: the stream, the funds. ARGV: for each field its name, its value as read, and its posted
// value. Every settlement adds to the stream, so an empty stream and unchanged values mean that
// nothing was settled since they were read. Returns 1 if the fields were set, else 0.
const CORRECT = `
if redis.call('XLEN', KEYS[1]) > 0 then return 0 end
for i = 1, #ARGV, 3 do
  if redis.call('HGET', KEYS[2], ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 3 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
end
return 1`

const ACTIVE_ORGANIZATIONS = `select distinct organization_id as id from usage_hourly
  where hour >= $1 and organization_id > $2 order by organization_id limit $3`

const POSTED = `select organization as id, debits - credits as spent
  from unnest($1::text[]) as organization
  join ledger_accounts on ledger_accounts.id = 'usage:' || organization`

const POSTED_OF_PROJECTS = `select project as id, coalesce(sum(cost), 0)::bigint as spent
  from unnest($1::uuid[], $2::date[]) as given (project, month)
  left join usage_daily on project_id = project and day >= month
    and day < month + interval '1 month'
  group by project`

/** A field of the funds: its value in Valkey, and the posted one that it should have. */
type Field = { readonly name: string; readonly current: string; readonly posted: string }

type Funds = ReadonlyMap<string, string>

/**
 * Sets the spending of organizations and their projects in Valkey to what is posted in PostgreSQL,
 * where no record waits to be posted: a failover may have lost costs or counted them twice. Covers
 * organizations with usage since `sinceMs`. Returns how many of them were corrected.
 */
export async function resyncSpending(
  pool: Pick<Pool, 'query'>,
  valkey: Pick<Valkey, 'call'>,
  sinceMs: number,
): Promise<number> {
  const read = scriptCaller(valkey, READ)
  const correct = scriptCaller(valkey, CORRECT)
  let corrected = 0
  let after = FIRST_ID
  for (;;) {
    const page = [new Date(sinceMs), after, PAGE_ORGANIZATIONS]
    const { rows } = await pool.query<{ id: string }>(ACTIVE_ORGANIZATIONS, page)
    const last = rows.at(-1)
    if (last === undefined) return corrected
    after = last.id
    const fundsById = new Map<string, Funds>()
    await forEachLimited(CALLS_AT_ONCE, rows, async ({ id }) => {
      const { usage, funds } = organizationKeys(id)
      const fields = (await read({ keys: [usage, funds], args: [] })) as string[]
      if (fields.includes('spent')) fundsById.set(id, parseHash(fields))
    })
    // Read only now: everything settled before the funds were read is posted by now, because
    // organizations with records in the stream were skipped.
    const wrong = await findWrong(pool, fundsById)
    await forEachLimited(CALLS_AT_ONCE, wrong, async ([id, fields]) => {
      const { usage, funds } = organizationKeys(id)
      const args = fields.flatMap((field) => [field.name, field.current, field.posted])
      corrected += Number(await correct({ keys: [usage, funds], args }))
    })
  }
}

type PostedRow = { readonly id: string; readonly spent: number }

async function findWrong(
  pool: Pick<Pool, 'query'>,
  fundsById: ReadonlyMap<string, Funds>,
): Promise<(readonly [string, Field[]])[]> {
  const organizations = await pool.query<PostedRow>(POSTED, [[...fundsById.keys()]])
  const spentByOrganization = new Map(organizations.rows.map((row) => [row.id, row.spent]))
  const months = [...fundsById.values()].flatMap(monthsOf)
  const projects = await pool.query<PostedRow>(POSTED_OF_PROJECTS, [
    months.map(({ projectId }) => projectId),
    months.map(({ month }) => `${month.slice(0, 4)}-${month.slice(4)}-01`),
  ])
  const spentByProject = new Map(projects.rows.map((row) => [row.id, row.spent]))
  return [...fundsById].flatMap(([id, funds]) => {
    const fields = [fieldOf(funds, 'spent', spentByOrganization.get(id) ?? 0)]
    for (const { projectId, month } of monthsOf(funds)) {
      fields.push(fieldOf(funds, `spent:${projectId}`, spentByProject.get(projectId) ?? 0))
      // Unchanged, but compared again: the sum must not be written to a month that began since.
      fields.push(fieldOf(funds, `month:${projectId}`, Number(month)))
    }
    const isWrong = fields.some(({ current, posted }) => current !== posted)
    return isWrong ? [[id, fields] as const] : []
  })
}

/** The projects whose spending is stored in the funds, and the month it is of. */
function monthsOf(funds: Funds): { readonly projectId: string; readonly month: string }[] {
  return [...funds].flatMap(([name, month]) =>
    name.startsWith('month:') ? [{ projectId: name.slice('month:'.length), month }] : [],
  )
}

function fieldOf(funds: Funds, name: string, posted: number): Field {
  return { name, current: funds.get(name) ?? '', posted: `${posted}` }
}

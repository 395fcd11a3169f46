import type { Pool } from 'pg'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { FIRST_ID } from '../postgres/page.ts'
import { fieldPairs } from '../valkey/field-pairs.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import { type Valkey } from '../valkey/valkey.ts'

const ORGANIZATIONS_AT_ONCE = 500
const CALLS_AT_ONCE = 32

// KEYS: the stream, the funds. Returns the funds, or nothing while records are on their way.
const READ = `
if redis.call('XLEN', KEYS[1]) > 0 then return {} end
return redis.call('HGETALL', KEYS[2])`

// KEYS: the stream, the funds. ARGV: for each field its name, its value as it was read, and as it
// is booked. Every settlement adds to the stream, so an empty one and the same values mean that
// nothing happened in between. Returns 1 if they were set.
const HEAL = `
if redis.call('XLEN', KEYS[1]) > 0 then return 0 end
for i = 1, #ARGV, 3 do
  if redis.call('HGET', KEYS[2], ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 3 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
end
return 1`

const ACTIVE = `select distinct organization_id as id from usage_hourly
  where hour >= $1 and organization_id > $2 order by organization_id limit $3`

const BOOKED = `select organization as id, debits - credits as spent
  from unnest($1::text[]) as organization
  join ledger_accounts on ledger_accounts.id = 'usage:' || organization`

const BOOKED_OF_PROJECTS = `select project as id, coalesce(sum(cost), 0)::bigint as spent
  from unnest($1::uuid[], $2::date[]) as given (project, month)
  left join usage_daily on project_id = project and day >= month
    and day < month + interval '1 month'
  group by project`

/** A field of the funds, as it is and as it should be. */
type Field = { readonly name: string; readonly read: string; readonly booked: string }

type Funds = ReadonlyMap<string, string>

/**
 * Sets what organizations and their projects have spent to what is booked, wherever nothing is on
 * its way into the books: a failover may have lost some of it, or counted it twice. Looks at those
 * that used anything since. Returns how many organizations were corrected.
 */
export async function resyncSpending(
  pool: Pick<Pool, 'query'>,
  valkey: Pick<Valkey, 'call'>,
  sinceMs: number,
): Promise<number> {
  const read = scriptCaller(valkey, READ)
  const heal = scriptCaller(valkey, HEAL)
  let healed = 0
  let after = FIRST_ID
  for (;;) {
    const page = [new Date(sinceMs), after, ORGANIZATIONS_AT_ONCE]
    const { rows } = await pool.query<{ id: string }>(ACTIVE, page)
    const last = rows.at(-1)
    if (last === undefined) return healed
    after = last.id
    const known = new Map<string, Funds>()
    await forEachLimited(CALLS_AT_ONCE, rows, async ({ id }) => {
      const { usage, funds } = organizationKeys(id)
      const fields = (await read({ keys: [usage, funds], args: [] })) as string[]
      if (fields.includes('spent')) known.set(id, new Map(fieldPairs(fields)))
    })
    // Read only now: what was on its way before is in the books by now, or was not looked at.
    const wrong = await findWrong(pool, known)
    await forEachLimited(CALLS_AT_ONCE, wrong, async ([id, fields]) => {
      const { usage, funds } = organizationKeys(id)
      const args = fields.flatMap((field) => [field.name, field.read, field.booked])
      healed += Number(await heal({ keys: [usage, funds], args }))
    })
  }
}

type Booked = { readonly id: string; readonly spent: number }

async function findWrong(
  pool: Pick<Pool, 'query'>,
  known: ReadonlyMap<string, Funds>,
): Promise<(readonly [string, Field[]])[]> {
  const booked = await pool.query<Booked>(BOOKED, [[...known.keys()]])
  const spent = new Map(booked.rows.map((row) => [row.id, row.spent]))
  const months = [...known.values()].flatMap(monthsOf)
  const ofProjects = await pool.query<Booked>(BOOKED_OF_PROJECTS, [
    months.map(({ projectId }) => projectId),
    months.map(({ month }) => `${month.slice(0, 4)}-${month.slice(4)}-01`),
  ])
  const spentOf = new Map(ofProjects.rows.map((row) => [row.id, row.spent]))
  return [...known].flatMap(([id, funds]) => {
    const fields = [fieldOf(funds, 'spent', spent.get(id) ?? 0)]
    for (const { projectId, month } of monthsOf(funds)) {
      fields.push(fieldOf(funds, `spent:${projectId}`, spentOf.get(projectId) ?? 0))
      // Written as it is: a month that has begun meanwhile has another sum.
      fields.push(fieldOf(funds, `month:${projectId}`, Number(month)))
    }
    return fields.some(({ read, booked: right }) => read !== right) ? [[id, fields] as const] : []
  })
}

/** The projects whose spending is counted here, and the month that it is counted for. */
function monthsOf(funds: Funds): { readonly projectId: string; readonly month: string }[] {
  return [...funds].flatMap(([name, month]) =>
    name.startsWith('month:') ? [{ projectId: name.slice('month:'.length), month }] : [],
  )
}

function fieldOf(funds: Funds, name: string, booked: number): Field {
  return { name, read: funds.get(name) ?? '', booked: `${booked}` }
}

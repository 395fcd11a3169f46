import type { Pool } from 'pg'

const SUMS = [
  'requests',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost',
] as const

const each = (form: (name: string) => string) => SUMS.map(form).join(', ')

/**
 * One statement for each organization that existed in the month and has none of it. Cells are what
 * `usage_daily` has now, of the month and the one before, less what earlier statements have of it.
 * Two workers may run it at once: the second finds the row of the first and adds no cells.
 */
const ISSUE = `
  with due as (
    select id as organization_id from organizations o
    where created_at < ($1::date + interval '1 month') at time zone 'utc'
      and (deleted_at is null or deleted_at >= $1::timestamp at time zone 'utc')
      and not exists (select from statements s where s.organization_id = o.id and month = $1)
    order by id limit $2
  ), used as (
    select organization_id, date_trunc('month', day::timestamp)::date as used_in, project_id, model,
      ${each((name) => `sum(${name})::bigint as ${name}`)}
    from usage_daily join due using (organization_id)
    where day >= $1::date - interval '1 month' and day < $1::date + interval '1 month'
    group by 1, 2, 3, 4
  ), stated as (
    select organization_id, used_in, project_id, model,
      ${each((name) => `sum(${name})::bigint as ${name}`)}
    from statement_cells join due using (organization_id)
    where month >= $1::date - interval '1 month' and used_in >= $1::date - interval '1 month'
    group by 1, 2, 3, 4
  ), cells as (
    select organization_id, used_in, project_id, model,
      ${each((name) => `used.${name} - coalesce(stated.${name}, 0) as ${name}`)}
    from used left join stated using (organization_id, used_in, project_id, model)
    where (${each((name) => `used.${name}`)})
      <> (${each((name) => `coalesce(stated.${name}, 0)`)})
  ), issued as (
    insert into statements (organization_id, month, ${SUMS.join(', ')})
    select organization_id, $1, ${each((name) => `coalesce(sum(${name}), 0)`)}
    from due left join cells using (organization_id) group by organization_id
    on conflict do nothing returning organization_id
  ), written as (
    insert into statement_cells
      (organization_id, month, used_in, project_id, model, ${SUMS.join(', ')})
    select organization_id, $1, used_in, project_id, model, ${SUMS.join(', ')}
    from cells join issued using (organization_id)
  )
  select count(*)::integer as due from due`

/**
 * Issues the statements of a month (`2026-10-01`) for a batch of organizations. Returns how many
 * had none. The first statement of an organization has what it used in the month before, too.
 */
export async function issueStatements(
  pool: Pick<Pool, 'query'>,
  month: string,
  limit: number,
): Promise<number> {
  const { rows } = await pool.query<{ due: number }>(ISSUE, [month, limit])
  return rows[0]?.due ?? 0
}

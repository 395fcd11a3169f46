import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type SignInState = {
  readonly secondFactor: boolean
  readonly sessions: number
  readonly lastSeenAt: Date | null
}

/** How an account signs in, for operators: no devices and no places. */
export async function readSignInState(
  database: Kysely<Tables>,
  accountId: string,
): Promise<SignInState> {
  const { rows } = await sql<{
    second_factor: boolean
    sessions: number
    last_seen_at: Date | null
  }>`
    select
      exists (select 1 from passkeys where account_id = ${accountId})
        or exists (select 1 from one_time_factors
                   where account_id = ${accountId} and confirmed_at is not null) as second_factor,
      count(*) as sessions, max(seen_at) as last_seen_at
    from sessions where account_id = ${accountId} and not incomplete and ends_at > now()
      and seen_at > now() - idle_minutes * interval '1 minute'`.execute(database)
  const [row] = rows
  return {
    secondFactor: row?.second_factor === true,
    sessions: row?.sessions ?? 0,
    lastSeenAt: row?.last_seen_at ?? null,
  }
}

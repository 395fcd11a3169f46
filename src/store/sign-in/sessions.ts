import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { Page } from '../postgres/page.ts'
import { WITHIN_SESSION_HOURS } from '../tenants/session-hours.ts'
import type { SessionRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/**
 * A further one ends the one that was begun first. Sessions without their second factor are counted
 * by themselves: who only knows the password must not end the others.
 */
const SESSIONS_PER_ACCOUNT_MAX = 50
const USER_AGENT_LENGTH_MAX = 200

export type NewSession = {
  readonly accountId: string
  readonly tokenHash: Buffer
  readonly endsAt: Date
  readonly idleMinutes: number
  readonly methods: readonly string[]
  readonly incomplete: boolean
  readonly userAgent: string | null
  readonly addressPrefix: string
}

export async function createSession(
  database: Kysely<Tables>,
  session: NewSession,
): Promise<SessionRow> {
  const row = await database
    .insertInto('sessions')
    .values({
      id: uuidV7(),
      token_hash: session.tokenHash,
      account_id: session.accountId,
      ends_at: session.endsAt,
      idle_minutes: session.idleMinutes,
      methods: [...session.methods],
      incomplete: session.incomplete,
      user_agent: session.userAgent?.slice(0, USER_AGENT_LENGTH_MAX).toWellFormed() ?? null,
      address_prefix: session.addressPrefix,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const kept = database
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', session.accountId)
    .where('incomplete', '=', session.incomplete)
    .orderBy('id', 'desc')
    .limit(SESSIONS_PER_ACCOUNT_MAX)
  await database
    .deleteFrom('sessions')
    .where('account_id', '=', session.accountId)
    .where('incomplete', '=', session.incomplete)
    .where('id', 'not in', kept)
    .execute()
  return row
}

/** Newest first. */
export async function listSessions(
  database: Kysely<Tables>,
  accountId: string,
  page: Page,
): Promise<SessionRow[]> {
  return database
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('ends_at', '>', sql<Date>`now()`)
    .where('seen_at', '>', sql<Date>`now() - idle_minutes * interval '1 minute'`)
    .where(WITHIN_SESSION_HOURS)
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

export type SessionRenewal = {
  readonly tokenHash: Buffer
  /** How the person proved who they are, this time. */
  readonly method: string
  readonly incomplete: boolean
  /** Absent: as before. */
  readonly life?: { readonly endsAt: Date; readonly idleMinutes: number }
}

/**
 * Gives a session a new token after a further proof of identity. The old one stops working, so that
 * who knew it before gains nothing. Undefined if the session has ended.
 */
export async function renewSession(
  database: Kysely<Tables>,
  session: { readonly id: string; readonly methods: readonly string[] },
  { tokenHash, method, incomplete, life }: SessionRenewal,
): Promise<SessionRow | undefined> {
  return database
    .updateTable('sessions')
    .set({
      token_hash: tokenHash,
      confirmed_at: sql<Date>`now()`,
      seen_at: sql<Date>`now()`,
      methods: [...new Set([...session.methods, method])],
      incomplete,
      ...(life !== undefined && { ends_at: life.endsAt, idle_minutes: life.idleMinutes }),
    })
    .where('id', '=', session.id)
    .where('ends_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
}

/** Whether there was one. */
export async function endSession(
  database: Kysely<Tables>,
  accountId: string,
  sessionId: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('sessions')
    .where('id', '=', sessionId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Of an account, all or all but one. Returns how many. */
export async function endSessions(
  database: Kysely<Tables>,
  accountId: string,
  exceptId: string | null = null,
): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .$if(exceptId !== null, (query) => query.where('id', '!=', exceptId ?? ''))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Those of an account that were opened or confirmed in one of these ways. Returns how many. */
export async function endSessionsThrough(
  transaction: Transaction<Tables>,
  accountId: string,
  methods: readonly string[],
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`methods && ${methods}::text[]`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Sessions of an account that would last longer, or longer idle, last only so long from now on. */
export async function shortenSessions(
  transaction: Transaction<Tables>,
  accountId: string,
  { endsAt, idleMinutes }: Pick<NewSession, 'endsAt' | 'idleMinutes'>,
): Promise<void> {
  await transaction
    .updateTable('sessions')
    .set({
      ends_at: sql<Date>`least(ends_at, ${endsAt})`,
      idle_minutes: sql<number>`least(idle_minutes, ${idleMinutes}::int)`,
    })
    .where('account_id', '=', accountId)
    .execute()
}

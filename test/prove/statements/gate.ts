import { Client } from 'pg'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'

const LOCK = 4_815_162_343
const TIMEOUT_MS = 60_000

/**
 * Holds up whoever issues statements in the middle of doing so, with its rows half written, and
 * counts the attempts of workers to issue.
 */
export type Gate = AsyncDisposable & {
  /** Nobody gets past the statement of this organization. */
  close(organizationId: string): Promise<void>
  open(): Promise<void>
  /** Resolves when so many sessions wait, those of dead workers as well. */
  untilWaiting(count: number): Promise<void>
  /** Ends the session that waits longest, as PostgreSQL does when it learns of a dead worker. */
  endOldest(): Promise<void>
  untilNobodyIssues(): Promise<void>
  attempts(): Promise<number>
}

/** Issuing waits for a lock: that of the gate, or for the rows of a session that waits for it. */
const ISSUING = `from pg_stat_activity where datname = current_database()
  and query like '%with due as (%' and pid <> pg_backend_pid()`

export async function installGate({ pool }: Postgres, databaseUrl: string): Promise<Gate> {
  await pool.query(`
    create table gate (organization_id uuid primary key);
    create table attempts (number bigint generated always as identity);
    create function pass_gate() returns trigger language plpgsql security definer as $$ begin
      if exists (select from gate where organization_id = new.organization_id)
        then perform pg_advisory_xact_lock_shared(${LOCK}); end if;
      return new; end $$;
    create function note_attempt() returns trigger language plpgsql security definer as $$ begin
      insert into attempts default values; return null; end $$;
    create trigger pass_gate before insert on statements
      for each row execute function pass_gate();
    create trigger note_attempt after insert on statements
      for each statement execute function note_attempt()`)
  const keeper = new Client({ connectionString: databaseUrl })
  await keeper.connect()
  const count = async (text: string) =>
    (await pool.query<{ count: number }>(`select count(*)::int as count ${text}`)).rows[0]!.count
  const waiting = async () => count(`${ISSUING} and wait_event_type = 'Lock'`)
  return {
    async close(organizationId) {
      await keeper.query('select pg_advisory_lock($1)', [LOCK])
      await pool.query('delete from gate')
      await pool.query('insert into gate values ($1)', [organizationId])
    },
    async open() {
      await keeper.query('select pg_advisory_unlock($1)', [LOCK])
    },
    async untilWaiting(sessions) {
      const what = `${sessions} sessions that issue statements`
      await waitUntil(what, async () => (await waiting()) === sessions, TIMEOUT_MS, {
        seen: waiting,
      })
    },
    async endOldest() {
      await pool.query(`select pg_terminate_backend(pid)
        from (select pid ${ISSUING} and state = 'active' order by query_start limit 1) as oldest`)
    },
    async untilNobodyIssues() {
      const issuing = async () => count(`${ISSUING} and state = 'active'`)
      await waitUntil('nobody to issue', async () => (await issuing()) === 0, TIMEOUT_MS)
    },
    attempts: async () => count('from attempts'),
    [Symbol.asyncDispose]: async () => keeper.end(),
  }
}

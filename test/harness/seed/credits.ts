import { randomUUID } from 'node:crypto'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { changeFunds } from '../../../src/store/ledger/double-entry.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { openOrganization } from './tenants.ts'

/** An organization whose only credit ended this long ago. */
export async function openWithCredit(
  { database, pool }: Postgres,
  endedHoursAgo: number,
  amount = 10,
): Promise<string> {
  const { id } = await openOrganization(database, 'default')
  await changeFunds(database, {
    organizationId: id,
    amount,
    kind: 'grant',
    reference: randomUUID(),
    madeBy: 'tester',
    reason: 'a test',
    expiresAt: new Date(Date.now() + HOUR_MS),
  })
  await pool.query(
    `update credit_lots set expires_at = now() - $2 * interval '1 hour'
     where organization_id = $1`,
    [id, endedHoursAgo],
  )
  return id
}

/** Emails about credits of these organizations: of which, and what remains. */
export async function creditEmails(
  { pool }: Postgres,
  ids: readonly string[],
): Promise<[string, number][]> {
  const { rows } = await pool.query<{ id: string; amount: number }>(
    `select organization_id as id, (facts -> 'amount')::integer as amount from queued_emails
     where kind = 'credit_expires' and organization_id = any($1)`,
    [ids],
  )
  return rows.map(({ id, amount }) => [id, amount])
}

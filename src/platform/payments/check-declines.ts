import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { DECLINES_MAX, findStop } from '../../store/payments/declines.ts'
import type { Tables } from '../../store/postgres/tables.ts'

/** Refuses payments of an organization for a day after so many cards were declined in a day. */
export async function checkDeclines(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<void> {
  const until = await findStop(transaction, organizationId)
  if (until === null) return
  const seconds = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1000))
  throw new ApiError(
    'too_many_declines',
    `${DECLINES_MAX} cards were declined within a day, so no payment can be started until ` +
      `${until.toISOString()}. Ask your bank why it declines the card, or write to the operator ` +
      'of this service.',
    { headers: { 'retry-after': String(seconds) } },
  )
}

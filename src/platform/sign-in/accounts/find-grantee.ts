import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { findAccount } from '../../../store/tenants/accounts.ts'

/**
 * The account that gets a right, by id or email address. An address that was never confirmed names
 * nobody: where the service sends no email, a stranger may have signed up with it. Whoever knows
 * the person behind the account names it by its id.
 */
export async function findGrantee(
  transaction: Transaction<Tables>,
  reference: string,
): Promise<AccountRow> {
  const account = await findAccount(transaction, reference)
  if (account.email_verified_at !== null || account.id === reference.toLowerCase()) return account
  throw new ApiError(
    'conflict',
    'The address of this account was never confirmed, so it may belong to somebody else. ' +
      `If you know who uses the account, name it by its id: ${account.id}.`,
  )
}

import type { Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import { deleteOneTimeFactor } from './one-time-factors.ts'
import { deleteRecoveryCodes } from './recovery-codes.ts'

export type RemovedFactors = { readonly passkeys: number; readonly totp: boolean }

/** Removes every passkey, the authenticator app and the recovery codes of an account. */
export async function removeFactors(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<RemovedFactors> {
  const { numDeletedRows } = await transaction
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const totp = await deleteOneTimeFactor(transaction, accountId)
  await deleteRecoveryCodes(transaction, accountId)
  return { passkeys: Number(numDeletedRows), totp }
}

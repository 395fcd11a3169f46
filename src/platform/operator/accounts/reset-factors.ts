import { ApiError } from '../../../contract/error.ts'
import { removeFactors, type RemovedFactors } from '../../../store/sign-in/remove-factors.ts'
import { endSessions } from '../../../store/sign-in/sessions.ts'
import type { AccountRow } from '../../../store/postgres/tables.ts'
import { findAccount, lockAccount } from '../../../store/tenants/accounts.ts'
import { tellFactorChanged } from '../../sign-in/accounts/tell-factor-changed.ts'
import { defineChange } from '../../use-case/use-case.ts'

export type ResetFactors = RemovedFactors & {
  readonly account: AccountRow
  readonly sessionsEnded: number
}

/**
 * Removes every second factor of somebody who lost them, and signs the account out. The person gets
 * an email, and sets up a new one after the next sign-in where one is needed. A management key may
 * not: with a password that it knows it could become that person.
 */
export const resetFactors = defineChange(
  { action: 'account.reset_factors', permission: 'platform:write', confirmed: true },
  async ({ environment, transaction, access: { actor } }, input: { readonly account: string }) => {
    if (actor.kind === 'management_key')
      throw new ApiError(
        'scope_required',
        'Second factors cannot be reset with a management key: sign in instead.',
      )
    const account = await findAccount(transaction, input.account)
    const { id, email } = account
    await lockAccount(transaction, id, 'update')
    const removed = await removeFactors(transaction, id)
    const sessionsEnded = await endSessions(transaction, id)
    const anyRemoved = removed.passkeys > 0 || removed.totp
    const value: ResetFactors = { account, ...removed, sessionsEnded }
    return {
      value,
      target: { kind: 'account', id, label: email },
      changes: {
        ...(removed.passkeys > 0 && { passkeys: [removed.passkeys, 0] as const }),
        ...(removed.totp && { totp: [true, false] as const }),
        ...(sessionsEnded > 0 && { sessions: [sessionsEnded, 0] as const }),
      },
      ...(anyRemoved && {
        afterwards: () => tellFactorChanged(environment, email, 'all_removed'),
      }),
    }
  },
)

import { endSessions } from '../../../store/sign-in/sessions.ts'
import { findAccount } from '../../../store/tenants/accounts.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { checkMayTouch } from '../../sign-in/accounts/check-may-touch.ts'

/** Signs an account out everywhere, from its next call on. */
export const endAccountSessions = defineChange(
  { action: 'account.end_sessions', permission: 'platform:write' },
  async ({ transaction, access }, { account }: { account: string }) => {
    const row = await findAccount(transaction, account)
    checkMayTouch(access.actor, row)
    const ended = await endSessions(transaction, row.id)
    return {
      value: undefined,
      target: { kind: 'account', id: row.id, label: row.email },
      changes: { sessions: [ended, 0] },
    }
  },
)

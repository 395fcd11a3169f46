import { ApiError } from '../../contract/error.ts'
import { voidMailTokens } from '../../store/sign-in/mail-tokens.ts'
import { endSessions } from '../../store/sign-in/sessions.ts'
import type { AccountRow } from '../../store/postgres/tables.ts'
import {
  changeAccount as storeChange,
  findAccount,
  lockAccount,
  type AccountChanges,
} from '../../store/tenants/accounts.ts'
import { changedFields } from '../changed-fields.ts'
import { defineChange } from '../use-case.ts'
import { checkMayTouch } from './check-may-touch.ts'

export type ChangeAccountInput = AccountChanges & {
  /** Id or e-mail address. */
  readonly account: string
  /** Why, for the audit log. */
  readonly note?: string
}

/**
 * Admits, restricts or completes an account, or sets its platform role. Restricting ends its
 * sessions and links in the same transaction. Returns it as it is stored.
 */
export const changeAccount = defineChange(
  { action: 'account.change', permission: 'platform:write', confirmed: true },
  async ({ transaction, access: { actor } }, input: ChangeAccountInput) => {
    const { account, note, ...asked } = input
    const { id } = await findAccount(transaction, account)
    await lockAccount(transaction, id, 'update')
    const before = await findAccount(transaction, id)
    checkMayTouch(actor, before, asked.platformRole !== undefined)
    // So that the service always keeps an operator.
    if (actor.kind === 'person' && actor.account.id === id)
      throw new ApiError('conflict', 'You cannot change your own state or role.')
    const { value, raised } = await storeChange(transaction, id, asked)
    const ended = endsSessions(before, value) ? await endSessions(transaction, id) : 0
    if (value.state === 'restricted') await voidMailTokens(transaction, id)
    const changes = changedFields(before, value, ['state', 'registered_at', 'platform_role'])
    return {
      value,
      target: { kind: 'account', id, label: value.email },
      changes: {
        ...changes,
        ...(ended > 0 && { sessions: [ended, 0] as const }),
        ...(note !== undefined && { note: [null, note] as const }),
      },
      unchanged: Object.keys(changes).length === 0 && ended === 0,
      raised,
    }
  },
)

/** Sessions of operators are shorter, so that a new role needs a new sign-in. */
function endsSessions(before: AccountRow, after: AccountRow): boolean {
  return after.state === 'restricted' || before.platform_role !== after.platform_role
}

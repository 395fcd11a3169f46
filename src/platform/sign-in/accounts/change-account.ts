import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import { withdrawInvitationsOfOperator } from '../../../store/people/givers.ts'
import { voidMailTokens } from '../../../store/sign-in/mail-tokens.ts'
import { endSessions } from '../../../store/sign-in/sessions.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import {
  changeAccount as storeChange,
  findAccount,
  lockOperatorsAnd,
  type AccountChanges,
} from '../../../store/tenants/accounts.ts'
import { countWithdrawn } from '../../invitations/giver.ts'
import { changedFields } from '../../use-case/changed-fields.ts'
import type { Environment } from '../../use-case/environment.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { checkMayTouch } from './check-may-touch.ts'
import { findGrantee } from './find-grantee.ts'
import { pageAddress } from './links.ts'

export type ChangeAccountInput = AccountChanges & {
  /** Id or email address. */
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
  async ({ environment, transaction, access: { actor } }, input: ChangeAccountInput) => {
    const { account, note, ...asked } = input
    const givesRole = typeof asked.platformRole === 'string'
    const find = givesRole ? findGrantee : findAccount
    const { id } = await find(transaction, account)
    await lockOperatorsAnd(transaction, id)
    const before = await findAccount(transaction, id)
    checkMayTouch(actor, before, asked.platformRole !== undefined)
    if (actor.kind === 'person') await checkOperatorRemains(transaction, actor.account.id, id)
    const { value, raised } = await storeChange(transaction, id, asked)
    const ended = endsSessions(before, value) ? await endSessions(transaction, id) : 0
    if (value.state === 'restricted') await voidMailTokens(transaction, id)
    const withdrawn = isOperator(value) ? 0 : await withdrawInvitationsOfOperator(transaction, id)
    const changes = changedFields(before, value, ['state', 'registered_at', 'platform_role'])
    return {
      value,
      target: { kind: 'account', id, label: value.email },
      changes: {
        ...changes,
        ...(ended > 0 && { sessions: [ended, 0] as const }),
        ...countWithdrawn(withdrawn),
        ...(note !== undefined && { note: [null, note] as const }),
      },
      unchanged: Object.keys(changes).length === 0 && ended === 0,
      raised,
      ...(before.platform_role !== value.platform_role && {
        afterwards: () => tellRoleChanged(environment, value),
      }),
    }
  },
)

function tellRoleChanged(
  { mailer, settings }: Environment,
  { email, platform_role: role }: AccountRow,
): void {
  const link = pageAddress(settings, 'sign-in')
  mailer.send(email, { kind: 'platform_role_changed', role, link })
}

/**
 * Whoever changes somebody else is an operator at that moment, so the service always keeps one. All
 * operators must be locked: two who demote each other do so one after the other.
 */
async function checkOperatorRemains(
  transaction: Transaction<Tables>,
  actorId: string,
  accountId: string,
): Promise<void> {
  if (actorId === accountId)
    throw new ApiError('conflict', 'You cannot change your own state or role.')
  const { platform_role: role, state } = await findAccount(transaction, actorId)
  if (role !== 'operator' || state !== 'active')
    throw new ApiError('role_required', 'This needs the platform role operator.')
}

function isOperator({ state, platform_role: role }: AccountRow): boolean {
  return state === 'active' && role === 'operator'
}

/** Sessions of operators are shorter, so that a new role needs a new sign-in. */
function endsSessions(before: AccountRow, after: AccountRow): boolean {
  return after.state === 'restricted' || before.platform_role !== after.platform_role
}

import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { createMailToken } from '../../store/sign-in/mail-tokens.ts'
import { changeOwnAccount } from '../../store/people/own-account.ts'
import type { AccountRow, Tables } from '../../store/postgres/tables.ts'
import { createAccount, findAccount, lockAccount } from '../../store/tenants/accounts.ts'
import type { Settings } from '../environment.ts'
import { createToken } from '../identity/token.ts'
import { isAddress } from '../mail/address.ts'
import { defineChange } from '../use-case.ts'
import { checkMayTouch } from './check-may-touch.ts'
import { linkEndsAt, linkWithToken } from './links.ts'

export type PasswordLink = {
  readonly account: AccountRow
  /** Null if it was sent by e-mail instead. */
  readonly link: string | null
}

/** Creates an operator of the service. The link sets the password: there is no default one. */
export const createOperator = defineChange(
  { action: 'account.create_operator', permission: 'platform:write' },
  async ({ environment, transaction }, { email }: { readonly email: string }) => {
    const { id } = await createAccount(transaction, { email, state: 'active', registered: true })
    const account = await changeOwnAccount(transaction, id, { platformRole: 'operator' })
    const link = await createPasswordLink(environment.settings, transaction, id)
    const value: PasswordLink = { account, link }
    return {
      value,
      target: { kind: 'account', id, label: email },
      changes: { platform_role: [null, 'operator'] },
    }
  },
)

/**
 * Makes a link that sets a new password. It is sent to the person; only somebody with a shell on a
 * machine of the service, or without e-mail, gets it to pass it on.
 */
export const createResetLink = defineChange(
  { action: 'password.create_link', permission: 'platform:write' },
  async ({ environment, transaction, access }, input: { readonly account: string }) => {
    const { mailer, settings } = environment
    const account = await findAccount(transaction, input.account)
    checkMayTouch(access.actor, account)
    if (account.state === 'restricted')
      throw new ApiError('conflict', 'This account is restricted. Activate it first.')
    const link = await createPasswordLink(settings, transaction, account.id)
    const sends = mailer.configured && isAddress(account.email)
    const isShown = access.actor.kind === 'operator_shell' || !sends
    const value: PasswordLink = { account, link: isShown ? link : null }
    return {
      value,
      target: { kind: 'account', id: account.id, label: account.email },
      ...(!isShown && {
        afterwards: () => mailer.send(account.email, { kind: 'reset', link }),
      }),
    }
  },
)

async function createPasswordLink(
  settings: Settings,
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<string> {
  await lockAccount(transaction, accountId, 'update')
  const { token, hash } = createToken()
  const endsAt = linkEndsAt()
  await createMailToken(transaction, { hash, kind: 'reset', accountId, endsAt, limited: false })
  return linkWithToken(settings, 'reset', token)
}

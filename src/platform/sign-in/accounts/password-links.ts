import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import { createMailToken } from '../../../store/sign-in/mail-tokens.ts'
import { changeOwnAccount, markEmailVerified } from '../../../store/people/own-account.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { createAccount, findAccount, lockAccount } from '../../../store/tenants/accounts.ts'
import type { Settings } from '../../use-case/environment.ts'
import { createToken } from '../identity/token.ts'
import { isAddress } from '../../mail/address.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { checkMayTouch } from './check-may-touch.ts'
import { linkEndsAt, linkWithToken } from './links.ts'
import { checkEmail } from './check-credentials.ts'

export type PasswordLink = {
  readonly account: AccountRow
  /** Null if it was sent by email instead. */
  readonly link: string | null
}

/** Creates an operator of the service. The link sets the password: there is no default one. */
export const createOperator = defineChange(
  { action: 'account.create_operator', permission: 'platform:write' },
  async ({ environment, transaction }, { email }: { readonly email: string }) => {
    checkEmail(email)
    const { id } = await createAccount(transaction, { email, state: 'active', registered: true })
    await markEmailVerified(transaction, id)
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
 * machine of the service, or an operator without email, gets it to pass it on. A management key
 * never does: whoever uses the link is that person, with more rights than the key.
 */
export const createResetLink = defineChange(
  { action: 'password.create_link', permission: 'platform:write', confirmed: true },
  async ({ environment, transaction, access }, input: { readonly account: string }) => {
    const { mailer, settings } = environment
    const account = await findAccount(transaction, input.account)
    checkMayTouch(access.actor, account)
    if (account.state === 'restricted')
      throw new ApiError('conflict', 'This account is restricted. Activate it first.')
    const link = await createPasswordLink(settings, transaction, account.id)
    const sends = mailer.configured && isAddress(account.email)
    const isShown = access.actor.kind === 'operator_shell' || !sends
    if (isShown && access.actor.kind === 'management_key')
      throw new ApiError(
        'scope_required',
        'No email can be sent, and a management key is not shown the link: sign in instead.',
      )
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
  await createMailToken(transaction, { hash, kind: 'reset', accountId, endsAt, network: null })
  return linkWithToken(settings, 'reset', token)
}

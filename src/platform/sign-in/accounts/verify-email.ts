import type { EmailChange } from '../../../contract/management/account.ts'
import { changeEmail, readAccount } from '../../../store/people/own-account.ts'
import { findMailToken, useMailToken, voidMailTokens } from '../../../store/sign-in/mail-tokens.ts'
import { hashToken } from '../identity/token.ts'
import { defineChange, defineRead } from '../../use-case/use-case.ts'
import { linkInvalid } from './check-credentials.ts'
import { checkKeepsSso } from './check-keeps-sso.ts'

/**
 * Which account would get which address. It does not use the link: programs that scan mail open
 * links too, and a person must see whose account it is.
 */
export const lookUpEmailChange = defineRead(
  { action: 'account.look_up_email_change', permission: 'anyone' },
  async ({ database }, { token }: { readonly token: string }): Promise<EmailChange> => {
    const found = await findMailToken(database, hashToken(token), 'change')
    if (found?.email == null) throw linkInvalid()
    const { email } = await readAccount(database, found.accountId)
    return { email: found.email, account: email }
  },
)

/** Gives an account the address that the link was sent to. */
export const verifyEmail = defineChange(
  { action: 'account.verify_email', permission: 'anyone' },
  async ({ transaction }, { token }: { readonly token: string }) => {
    const used = await useMailToken(transaction, hashToken(token), 'change')
    if (used === undefined || used.email === null) throw linkInvalid()
    await checkKeepsSso(transaction, used.accountId, used.email)
    const before = await changeEmail(transaction, used.accountId, used.email)
    // Links that were sent to the old address must not work any more.
    await voidMailTokens(transaction, used.accountId)
    return {
      value: undefined,
      target: { kind: 'account', id: used.accountId, label: used.email },
      changes: { email: [before, used.email] },
    }
  },
)

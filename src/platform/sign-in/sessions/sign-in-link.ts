import { createMailToken, useMailToken } from '../../../store/sign-in/mail-tokens.ts'
import { findAccount, lockAccount } from '../../../store/tenants/accounts.ts'
import { linkInvalid } from '../accounts/check-credentials.ts'
import { linkEndsAt, linkWithToken } from '../accounts/links.ts'
import { createToken, hashToken } from '../identity/token.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { openUnlessRestricted, type SessionClient } from './open-session.ts'

/**
 * Makes a link that signs in once. No route does so: only `headrace dev` prints one, to whoever
 * has the machine anyway.
 */
export const createSignInLink = defineChange(
  { action: 'session.create_link', permission: 'platform:write' },
  async ({ environment, transaction }, input: { readonly account: string }) => {
    const { id, email } = await findAccount(transaction, input.account)
    await lockAccount(transaction, id, 'update')
    const { token, hash } = createToken()
    const endsAt = linkEndsAt()
    const kind = 'sign_in'
    await createMailToken(transaction, { hash, kind, accountId: id, endsAt, network: null })
    return {
      value: linkWithToken(environment.settings, 'sign-in', token),
      target: { kind: 'account', id, label: email },
    }
  },
)

/** Signs in with such a link. A second factor, if the account has one, is still needed. */
export const signInWithLink = defineChange(
  { action: 'session.create', permission: 'anyone' },
  async (
    { environment, transaction, access },
    { token, client }: { readonly token: string; readonly client: SessionClient },
  ) => {
    const used = await useMailToken(transaction, hashToken(token), 'sign_in')
    if (used === undefined) throw linkInvalid()
    const { accountId } = used
    const found = { accountId, client }
    return openUnlessRestricted({ environment, transaction }, access.actor, 'link', found)
  },
)

import { findMailToken, createMailToken, useMailToken } from '../../store/sign-in/mail-tokens.ts'
import { markEmailVerified, readAccount } from '../../store/people/own-account.ts'
import { findSignIn } from '../../store/sign-in/passwords.ts'
import { lockAccount } from '../../store/tenants/accounts.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import type { Environment } from '../environment.ts'
import { hashPassword } from '../identity/password.ts'
import { createToken, hashToken } from '../identity/token.ts'
import { partiesOf, type Origin } from '../sessions/prove-password.ts'
import { defineChange, defineFlow } from '../use-case.ts'
import { checkEmail, checkNewPassword, linkInvalid } from './check-credentials.ts'
import { linkEndsAt, linkWithToken } from './links.ts'
import { replacePassword, tellPasswordChanged } from './replace-password.ts'

/** Asks for a letter with a link that sets a new password. Tells nothing about the address. */
export const requestPasswordReset = defineFlow(
  { action: 'password.request_reset', permission: 'anyone' },
  ({ environment }, { email }: { readonly email: string }) => {
    checkEmail(email)
    environment.later(() => sendLink(environment, email))
    return Promise.resolve()
  },
)

async function sendLink(environment: Environment, email: string): Promise<void> {
  if (!environment.mailer.configured) return
  const account = await findSignIn(environment.database, email)
  if (account === undefined || account.state === 'restricted') return
  await createLink(environment, { kind: 'nobody', request: null }, account).catch(
    (error: unknown) => {
      if (!(error instanceof ChangeRefused)) throw error
    },
  )
}

const createLink = defineChange(
  { action: 'password.request_reset', permission: 'anyone' },
  async (
    { environment, transaction },
    { id, email }: { readonly id: string; readonly email: string },
  ) => {
    await lockAccount(transaction, id, 'update')
    const { token, hash } = createToken()
    const link = {
      hash,
      kind: 'reset',
      accountId: id,
      endsAt: linkEndsAt(),
      limited: true,
    } as const
    if (!(await createMailToken(transaction, link)))
      throw new ChangeRefused('the account was sent too many links')
    return {
      value: undefined,
      target: { kind: 'account', id, label: email },
      afterwards: () =>
        environment.mailer.send(email, {
          kind: 'reset',
          link: linkWithToken(environment.settings, 'reset', token),
        }),
    }
  },
)

export type CompleteResetInput = {
  readonly token: string
  readonly password: string
  readonly client: Origin
}

/**
 * Sets a new password by a link. All sessions end, and no other link works. The second factor, if
 * there is one, is still needed to sign in.
 */
export const completePasswordReset = defineFlow(
  { action: 'password.reset', permission: 'anyone' },
  async ({ environment, access }, { token, password, client }: CompleteResetInput) => {
    const { database, settings, passwords } = environment
    const hash = hashToken(token)
    // Nothing is computed for a link that does not work.
    const accountId = await findMailToken(database, hash, 'reset')
    if (accountId === undefined) throw linkInvalid()
    const { email } = await readAccount(database, accountId)
    checkNewPassword(settings, email, password)
    const phc = await passwords.run(partiesOf(client, email), () => hashPassword(password))
    await useLink(environment, access.actor, { hash, phc })
    await environment.loginLimits.forget({ kind: 'email', email })
  },
)

const useLink = defineChange(
  { action: 'password.reset', permission: 'anyone' },
  async (
    { environment, transaction },
    { hash, phc }: { readonly hash: Buffer; readonly phc: string },
  ) => {
    const used = await useMailToken(transaction, hash, 'reset')
    if (used === undefined) throw linkInvalid()
    const account = await replacePassword(transaction, used.accountId, phc, null)
    await markEmailVerified(transaction, account.id)
    return {
      value: undefined,
      target: { kind: 'account', id: account.id, label: account.email },
      afterwards: () => tellPasswordChanged(environment, account.email),
    }
  },
)

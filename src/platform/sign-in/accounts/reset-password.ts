import type { Transaction } from 'kysely'
import type { PasswordSet } from '../../../contract/management/account.ts'
import { findMailToken, createMailToken, useMailToken } from '../../../store/sign-in/mail-tokens.ts'
import { markEmailVerified, readAccount } from '../../../store/people/own-account.ts'
import { listPasskeys } from '../../../store/sign-in/passkeys.ts'
import { findSignIn } from '../../../store/sign-in/passwords.ts'
import { removeFactors } from '../../../store/sign-in/remove-factors.ts'
import { readSignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { lockAccount } from '../../../store/tenants/accounts.ts'
import { ChangeRefused } from '../../../store/tenants/changes.ts'
import type { Environment } from '../../use-case/environment.ts'
import { hashPassword } from '../identity/password.ts'
import { createToken, hashToken } from '../identity/token.ts'
import { viewPasskey } from '../passkeys/view-passkey.ts'
import { knownAs, type Origin } from '../sessions/prove-password.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { checkEmail, checkNewPassword, linkInvalid } from './check-credentials.ts'
import { countAskedEmail } from './count-email.ts'
import { linkEndsAt, linkWithToken } from './links.ts'
import { replacePassword, tellPasswordChanged } from './replace-password.ts'
import { tellFactorChanged } from './tell-factor-changed.ts'

/** Asks for an email with a link that sets a new password. Tells nothing about the address. */
export const requestPasswordReset = defineFlow(
  { action: 'password.request_reset', permission: 'anyone' },
  async (
    { environment },
    { email, client }: { readonly email: string; readonly client: Origin },
  ) => {
    checkEmail(email)
    await countAskedEmail(environment, client)
    const { addressPrefix: network } = client
    environment.later(network, () => sendLink(environment, email, network))
  },
)

async function sendLink(environment: Environment, email: string, network: string): Promise<void> {
  if (!environment.mailer.configured) return
  const account = await findSignIn(environment.database, email)
  if (account === undefined || account.state === 'restricted') return
  const asked = { ...account, network }
  await createLink(environment, { kind: 'nobody', request: null }, asked).catch(
    (error: unknown) => {
      if (!(error instanceof ChangeRefused)) throw error
    },
  )
}

const createLink = defineChange(
  { action: 'password.request_reset', permission: 'anyone' },
  async (
    { environment, transaction },
    { id, email, network }: AccountRow & { readonly network: string },
  ) => {
    await lockAccount(transaction, id, 'update')
    const { token, hash } = createToken()
    const link = {
      hash,
      kind: 'reset',
      accountId: id,
      endsAt: linkEndsAt(),
      network,
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
}

/**
 * Sets a new password by a link. All sessions end, and no other link works. The second factor, if
 * there is one, is still needed to sign in, so that a mailbox alone is not enough. But nobody knows
 * who added the passkeys and the app of an address that was never confirmed: a stranger may have
 * taken it where no email was sent. The first link that is used for it removes them.
 */
export const completePasswordReset = defineFlow(
  { action: 'password.reset', permission: 'anyone' },
  async ({ environment, access }, { token, password }: CompleteResetInput) => {
    const { database, settings, passwords } = environment
    const hash = hashToken(token)
    // Nothing is computed for a link that does not work.
    const found = await findMailToken(database, hash, 'reset')
    if (found === undefined) throw linkInvalid()
    const { email } = await readAccount(database, found.accountId)
    checkNewPassword(settings, email, password)
    const phc = await passwords.run(knownAs(found.accountId), () => hashPassword(password))
    const set = await useLink(environment, access.actor, { hash, phc })
    await environment.loginLimits.forget({ kind: 'email', email })
    return set
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
    const { id, email } = account
    const isFirstProof = account.email_verified_at === null
    const gone = isFirstProof ? await removeFactors(transaction, id) : { passkeys: 0, totp: false }
    await markEmailVerified(transaction, id)
    const removed = gone.passkeys > 0 || gone.totp
    return {
      value: await viewLeft(transaction, id, removed),
      target: { kind: 'account', id, label: email },
      changes: {
        ...(gone.passkeys > 0 && { passkeys: [gone.passkeys, 0] as const }),
        ...(gone.totp && { totp: [true, false] as const }),
      },
      afterwards: () => {
        tellPasswordChanged(environment, email)
        if (removed) tellFactorChanged(environment, email, 'all_removed')
      },
    }
  },
)

async function viewLeft(
  transaction: Transaction<Tables>,
  accountId: string,
  removed: boolean,
): Promise<PasswordSet> {
  const passkeys = await listPasskeys(transaction, accountId)
  const { hasTotp } = await readSignInFacts(transaction, accountId)
  return { passkeys: passkeys.map(viewPasskey), has_totp: hasTotp, removed }
}

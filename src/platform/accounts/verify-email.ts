import type { Transaction } from 'kysely'
import { useMailToken, voidMailTokens } from '../../store/sign-in/mail-tokens.ts'
import { changeEmail, markEmailVerified } from '../../store/people/own-account.ts'
import { takeSignUp } from '../../store/sign-in/sign-ups.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { Environment } from '../environment.ts'
import { hashToken } from '../identity/token.ts'
import { defineChange, type Change } from '../use-case.ts'
import { linkInvalid } from './check-credentials.ts'
import { createSignedUp, maySignUp } from './sign-up.ts'

/** Uses the link of a letter: of a sign-up, or of a change of address. */
export const verifyEmail = defineChange(
  { action: 'account.verify_email', permission: 'anyone' },
  async ({ environment, transaction }, { token }: { readonly token: string }) => {
    const hash = hashToken(token)
    const confirmed = await confirmSignUp(environment, transaction, hash)
    return confirmed ?? confirmChange(transaction, hash)
  },
)

async function confirmSignUp(
  environment: Environment,
  transaction: Transaction<Tables>,
  hash: Buffer,
): Promise<Change<undefined> | undefined> {
  const signUp = await takeSignUp(transaction, hash)
  if (signUp === undefined) return undefined
  const { console: settings } = environment.settings
  if (!(await maySignUp(settings, transaction, signUp.email))) throw linkInvalid()
  const { value: account, ...change } = await createSignedUp(environment, transaction, signUp)
  await markEmailVerified(transaction, account.id)
  return { ...change, value: undefined }
}

async function confirmChange(
  transaction: Transaction<Tables>,
  hash: Buffer,
): Promise<Change<undefined>> {
  const used = await useMailToken(transaction, hash, 'change')
  if (used === undefined || used.email === null) throw linkInvalid()
  const before = await changeEmail(transaction, used.accountId, used.email)
  // Links that were sent to the old address must not work any more.
  await voidMailTokens(transaction, used.accountId)
  return {
    value: undefined,
    target: { kind: 'account', id: used.accountId, label: used.email },
    changes: { email: [before, used.email] },
  }
}

import type { Kysely, Transaction } from 'kysely'
import { isInvited } from '../../store/people/invitations.ts'
import { findSignIn, setPassword } from '../../store/sign-in/passwords.ts'
import { deleteSignUps, storeSignUp, type StoredSignUp } from '../../store/sign-in/sign-ups.ts'
import type { AccountRow, Tables } from '../../store/postgres/tables.ts'
import { createAccount } from '../../store/tenants/accounts.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import type { AccountState } from '../../tenancy/identity.ts'
import type { ConsoleSettings, Environment } from '../environment.ts'
import { hashPassword } from '../identity/password.ts'
import { createToken } from '../identity/token.ts'
import { partiesOf, type Origin } from '../sessions/prove-password.ts'
import { defineChange, defineFlow, type Change } from '../use-case.ts'
import { checkEmail, checkNewPassword } from './check-credentials.ts'
import { linkEndsAt, linkWithToken, pageAddress } from './links.ts'

export type SignUpInput = {
  readonly email: string
  readonly password: string
  readonly client: Origin
}

/**
 * Asks for an account. The answer and its time are the same whatever the address and the settings:
 * everything that depends on them happens afterwards.
 */
export const signUp = defineFlow(
  { action: 'account.sign_up', permission: 'anyone' },
  async ({ environment }, { email, password, client }: SignUpInput) => {
    checkEmail(email)
    checkNewPassword(environment.settings, email, password)
    const parties = partiesOf(client, email)
    const phc = await environment.passwords.run(parties, () => hashPassword(password))
    environment.later(() => follow(environment, email, phc))
  },
)

async function follow(environment: Environment, email: string, phc: string): Promise<void> {
  const { settings, database, mailer } = environment
  if (!(await maySignUp(settings.console, database, email))) return
  if ((await findSignIn(database, email)) !== undefined) {
    mailer.send(email, { kind: 'sign_up_again', link: pageAddress(settings, 'sign-in') })
    return
  }
  // Without e-mail nobody can confirm an address.
  if (!mailer.configured) {
    await admitSignUp(environment, { kind: 'nobody', request: null }, { email, phc }).catch(
      (error: unknown) => {
        if (!(error instanceof ChangeRefused)) throw error
      },
    )
    return
  }
  const { token, hash } = createToken()
  const stored = await storeSignUp(database, { hash, email, phc, endsAt: linkEndsAt() })
  if (stored) mailer.send(email, { kind: 'verify', link: linkWithToken(settings, 'verify', token) })
}

/** Where sign-up is closed, only somebody who is invited may. */
export async function maySignUp(
  { sign_up: mode }: ConsoleSettings,
  database: Kysely<Tables>,
  email: string,
): Promise<boolean> {
  return mode !== 'closed' || isInvited(database, email)
}

const admitSignUp = defineChange(
  { action: 'account.create', permission: 'anyone' },
  ({ environment, transaction }, pending: StoredSignUp) =>
    createSignedUp(environment, transaction, pending),
)

/** Creates the account of somebody who signed up. */
export async function createSignedUp(
  { settings }: Environment,
  transaction: Transaction<Tables>,
  { email, phc }: StoredSignUp,
): Promise<Change<AccountRow>> {
  const state = stateOf(settings.console, email)
  const account = await createAccount(transaction, { email, state, registered: false })
  await setPassword(transaction, account.id, phc)
  await deleteSignUps(transaction, email)
  return {
    value: account,
    target: { kind: 'account', id: account.id, label: email },
    changes: { state: [null, state], email: [null, email] },
  }
}

function stateOf(settings: ConsoleSettings, email: string): AccountState {
  if (settings.sign_up !== 'waiting') return 'active'
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const skips = settings.sign_up_domains.some((known) => known.toLowerCase() === domain)
  return skips ? 'active' : 'waiting'
}

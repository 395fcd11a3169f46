import type { Kysely, Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import type { Language } from '../../../contract/language.ts'
import { findOpenInvitation, isInvited } from '../../../store/people/invitations.ts'
import { markEmailVerified } from '../../../store/people/own-account.ts'
import { findSignIn, setPassword } from '../../../store/sign-in/passwords.ts'
import { deleteSignUps, storeSignUp } from '../../../store/sign-in/sign-ups.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { createAccount } from '../../../store/tenants/accounts.ts'
import { ChangeRefused } from '../../../store/tenants/changes.ts'
import type { AccountState } from '../../../tenancy/identity.ts'
import type { ConsoleSettings, Environment } from '../../use-case/environment.ts'
import { hashPassword } from '../identity/password.ts'
import { createToken, hashToken } from '../identity/token.ts'
import { strangerAt, type Origin } from '../sessions/prove-password.ts'
import { defineChange, defineFlow, type Change } from '../../use-case/use-case.ts'
import { checkEmail, checkNewPassword } from './check-credentials.ts'
import { countAskedEmail } from './count-email.ts'
import { linkEndsAt, linkWithToken, pageAddress } from './links.ts'
import { normalEmail } from '../../../tenancy/email.ts'

export type SignUpInput = {
  readonly email: string
  readonly password?: string
  /** The token of an invitation to the address. Needed for an invited one if no email is sent. */
  readonly invitation?: string
  readonly language?: Language
  readonly client: Origin
}

/**
 * Asks for an account. The answer and its time are the same whatever the address and the settings:
 * everything that depends on them happens afterwards. The password is chosen by whoever uses the
 * link that is sent, so that nobody else can set it; only without email it is given here.
 */
export const signUp = defineFlow(
  { action: 'account.sign_up', permission: 'anyone' },
  async ({ environment }, input: SignUpInput) => {
    const { email, password, invitation, language, client } = input
    checkEmail(email)
    await countAskedEmail(environment, client)
    const { addressPrefix: network } = client
    if (environment.mailer.configured) {
      if (password !== undefined) throw passwordFault('is chosen with the link that is sent.')
      environment.later(network, () =>
        sendLink(environment, { email, network, invitation, language }),
      )
      return
    }
    if (password === undefined) throw passwordFault('is required.')
    checkNewPassword(environment.settings, email, password)
    const parties = strangerAt(client, email)
    const phc = await environment.passwords.run(parties, () => hashPassword(password))
    environment.later(network, () => admitUnproven(environment, { email, phc }, invitation))
  },
)

function passwordFault(fault: string): ApiError {
  return new ApiError('invalid_value', `'password' ${fault}`, { param: 'password' })
}

type Asked = {
  readonly email: string
  readonly network: string
  readonly invitation: string | undefined
  readonly language: Language | undefined
}

async function sendLink(
  environment: Environment,
  { email, network, invitation, language }: Asked,
): Promise<void> {
  const { settings, database, mailer } = environment
  if (!(await maySignUp(settings.console, database, email))) return
  const { token, hash } = createToken()
  // Stored for a known address too, where nobody learns the token: so both emails are counted.
  if (!(await storeSignUp(database, { hash, email, network, endsAt: linkEndsAt() }))) return
  if ((await findSignIn(database, email)) === undefined) {
    // The link leads back to the invitation, also in another browser.
    const back = (await hasInvitation(database, email, invitation)) ? invitation : undefined
    const link = linkWithToken(settings, 'sign-up', token, back)
    mailer.send(email, { kind: 'sign_up', link }, language)
  } else mailer.send(email, { kind: 'sign_up_again', link: pageAddress(settings, 'sign-in') })
}

/** Without email nobody can confirm an address, so its account stays unconfirmed. */
async function admitUnproven(
  environment: Environment,
  given: Credentials,
  invitation: string | undefined,
): Promise<void> {
  const { settings, database } = environment
  const may = (await isInvited(database, given.email))
    ? await hasInvitation(database, given.email, invitation)
    : settings.console.sign_up !== 'closed'
  if (!may) return
  if ((await findSignIn(database, given.email)) !== undefined) return
  await admitSignUp(environment, { kind: 'nobody', request: null }, given).catch(
    (error: unknown) => {
      if (!(error instanceof ChangeRefused)) throw error
    },
  )
}

/** An invited address is for whoever was given the link: anybody can type the address. */
async function hasInvitation(
  database: Kysely<Tables>,
  email: string,
  token: string | undefined,
): Promise<boolean> {
  if (token === undefined) return false
  const found = await findOpenInvitation(database, hashToken(token))
  return found !== undefined && normalEmail(found.invitation.email) === normalEmail(email)
}

/** Where sign-up is closed, only somebody who is invited may. */
export async function maySignUp(
  { sign_up: mode }: ConsoleSettings,
  database: Kysely<Tables>,
  email: string,
): Promise<boolean> {
  return mode !== 'closed' || isInvited(database, email)
}

type Credentials = { readonly email: string; readonly phc: string }

const admitSignUp = defineChange(
  { action: 'account.create', permission: 'anyone' },
  ({ environment, transaction }, given: Credentials) =>
    createSignedUp(environment, transaction, { ...given, proven: false }),
)

type SignedUp = Credentials & {
  /** Whether the person has used a link that was sent to the address. */
  readonly proven: boolean
}

/** Creates the account of somebody who signed up. */
export async function createSignedUp(
  { settings }: Environment,
  transaction: Transaction<Tables>,
  { email, phc, proven }: SignedUp,
): Promise<Change<AccountRow>> {
  const state = stateOf(settings.console, email, proven)
  const byInvitation = settings.console.sign_up === 'closed'
  const facts = { email, state, registered: false, byInvitation }
  const account = await createAccount(transaction, facts)
  if (proven) await markEmailVerified(transaction, account.id)
  await setPassword(transaction, account.id, phc)
  await deleteSignUps(transaction, email)
  return {
    value: account,
    target: { kind: 'account', id: account.id, label: email },
    changes: { state: [null, state], email: [null, email] },
  }
}

/** Only an address that was proven to be the person's own skips the waiting list. */
function stateOf(settings: ConsoleSettings, email: string, proven: boolean): AccountState {
  if (settings.sign_up !== 'waiting') return 'active'
  return proven && skipsWaiting(settings, email) ? 'active' : 'waiting'
}

function skipsWaiting(settings: ConsoleSettings, email: string): boolean {
  const domain = normalEmail(email.slice(email.lastIndexOf('@') + 1))
  return settings.sign_up_domains.some((known) => normalEmail(known) === domain)
}

/** Whether somebody with this address, which is proven, would not get in without an invitation. */
export function needsInvitation(settings: ConsoleSettings, email: string): boolean {
  if (settings.sign_up === 'waiting') return !skipsWaiting(settings, email)
  return settings.sign_up === 'closed'
}

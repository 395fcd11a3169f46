import { findSignUp, takeSignUp } from '../../../store/sign-in/sign-ups.ts'
import { hashPassword } from '../identity/password.ts'
import { hashToken } from '../identity/token.ts'
import { tellNewDevice } from '../sessions/known-device.ts'
import { openSession, type SessionClient } from '../sessions/open-session.ts'
import { strangerAt, type Origin } from '../sessions/prove-password.ts'
import { defineChange, defineFlow, defineRead } from '../../use-case/use-case.ts'
import { checkNewPassword, linkInvalid } from './check-credentials.ts'
import { createSignedUp, maySignUp } from './sign-up.ts'

/** The address of a link. It does not use the link: programs that scan mail open links too. */
export const lookUpSignUp = defineRead(
  { action: 'account.look_up_sign_up', permission: 'anyone' },
  async ({ database }, { token }: { readonly token: string }) => {
    const email = await findSignUp(database, hashToken(token))
    if (email === undefined) throw linkInvalid()
    return { email }
  },
)

export type CompleteSignUpInput = {
  readonly token: string
  readonly password: string
  readonly client: SessionClient & Origin
}

/**
 * Creates the account with the password that whoever has the link chooses, and signs in with it: to
 * ask for the same password again would prove nothing more.
 */
export const completeSignUp = defineFlow(
  { action: 'account.create', permission: 'anyone' },
  async ({ environment, access }, { token, password, client }: CompleteSignUpInput) => {
    const { database, settings, passwords } = environment
    const hash = hashToken(token)
    // Nothing is computed for a link that does not work.
    const email = await findSignUp(database, hash)
    if (email === undefined) throw linkInvalid()
    checkNewPassword(settings, email, password)
    const phc = await passwords.run(strangerAt(client, email), () => hashPassword(password))
    return useLink(environment, access.actor, { hash, phc, client })
  },
)

type LinkUse = {
  readonly hash: Buffer
  readonly phc: string
  readonly client: SessionClient
}

const useLink = defineChange(
  { action: 'account.create', permission: 'anyone' },
  async ({ environment, transaction, access }, { hash, phc, client }: LinkUse) => {
    const email = await takeSignUp(transaction, hash)
    if (email === undefined) throw linkInvalid()
    if (!(await maySignUp(environment.settings.console, transaction, email))) throw linkInvalid()
    const signedUp = { email, phc, proven: true }
    const created = await createSignedUp(environment, transaction, signedUp)
    const changing = { environment, transaction }
    const opened = await openSession(changing, access.actor, created.value, 'password', client)
    const { id: session, methods } = opened.session
    return {
      ...created,
      value: opened,
      changes: { ...created.changes, session: [null, session], methods: [null, methods] },
      afterwards: () => tellNewDevice(environment, email, opened),
    }
  },
)

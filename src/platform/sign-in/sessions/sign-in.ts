import { ApiError } from '../../../contract/error.ts'
import { organizationsToTell } from '../../../store/people/organizations-to-tell.ts'
import { findPassword, findSignIn, type SignInRow } from '../../../store/sign-in/passwords.ts'
import { lockAccount } from '../../../store/tenants/accounts.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { tellNewDevice } from './known-device.ts'
import { noteRefused } from './note-refused.ts'
import { openSession, type SessionClient } from './open-session.ts'
import { provePassword, type Origin } from './prove-password.ts'

export type SignInInput = {
  readonly email: string
  readonly password: string
  readonly client: SessionClient & Origin
}

/** Signs in with a password. Words and time are the same whatever was wrong. */
export const signIn = defineFlow(
  { action: 'session.create', permission: 'anyone' },
  async ({ environment, access }, { email, password, client }: SignInInput) => {
    const found: { row?: SignInRow | undefined } = {}
    const right = await provePassword(environment, client, email, password, async () => {
      found.row = await findSignIn(environment.database, email)
      return found.row?.phc ?? null
    })
    const { id, email: address, phc = null, state } = found.row ?? {}
    if (!right || id === undefined || phc === null) {
      const account = { id: id ?? '', email: address ?? '' }
      if (id !== undefined)
        noteRefused(environment, { account, wrong: 'password', network: client.addressPrefix })
      throw invalidLogin()
    }
    if (state === 'restricted')
      throw new ApiError('account_restricted', 'This account is restricted.')
    return openWithPassword(environment, access.actor, { id, email: address ?? '', phc, client })
  },
)

const openWithPassword = defineChange(
  { action: 'session.create', permission: 'anyone' },
  async (
    { environment, transaction, access },
    input: {
      readonly id: string
      readonly email: string
      readonly phc: string
      readonly client: SessionClient
    },
  ) => {
    // A password that was just changed must not open a session any more.
    await lockAccount(transaction, input.id, 'share')
    if ((await findPassword(transaction, input.id)) !== input.phc) throw invalidLogin()
    const opened = await openSession(
      { environment, transaction },
      access.actor,
      input,
      'password',
      input.client,
    )
    return {
      value: opened,
      target: { kind: 'account', id: input.id, label: input.email },
      organizationIds: await organizationsToTell(transaction, input.id),
      changes: { session: [null, opened.session.id], methods: [null, opened.session.methods] },
      afterwards: () => tellNewDevice(environment, input.email, opened),
    }
  },
)

function invalidLogin(): ApiError {
  return new ApiError('invalid_login', 'The email address or the password is wrong.')
}

import { listPasskeys } from '../../../store/sign-in/passkeys.ts'
import { enrollingPerson } from '../factors/enrolling-person.ts'
import { createAuthenticationOptions, createRegistrationOptions } from '../identity/passkeys.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { partyOf, rememberChallenge } from './challenge.ts'

/** What a browser needs to make a passkey for the account. */
export const beginPasskey = defineRead(
  { action: 'passkey.begin', permission: 'second-factor', confirmed: true },
  async ({ environment, database, access }) => {
    const { account } = await enrollingPerson(database, access)
    const known = await listPasskeys(database, account.id)
    const credentials = known.map((row) => ({
      credentialId: row.credential_id,
      transports: row.transports,
    }))
    const party = partyOf(environment.settings)
    const options = await createRegistrationOptions(party, account, credentials)
    const ceremony = { kind: 'passkey registration', accountId: account.id } as const
    await rememberChallenge(database, ceremony, options.challenge)
    return options
  },
)

/** What a browser needs to sign in with any passkey that it has. Says nothing about accounts. */
export const beginPasskeySignIn = defineRead(
  { action: 'session.begin_passkey', permission: 'anyone' },
  async ({ environment, database }) => {
    const options = await createAuthenticationOptions(partyOf(environment.settings))
    const ceremony = { kind: 'passkey sign-in', accountId: null } as const
    await rememberChallenge(database, ceremony, options.challenge)
    return options
  },
)

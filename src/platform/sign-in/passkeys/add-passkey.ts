import { ApiError } from '../../../contract/error.ts'
import { listPasskeys, PASSKEYS_MAX, storePasskey } from '../../../store/sign-in/passkeys.ts'
import { lockAccount } from '../../../store/tenants/accounts.ts'
import { tellFactorChanged } from '../accounts/tell-factor-changed.ts'
import { enrollingPerson } from '../factors/enrolling-person.ts'
import { verifyRegistration, type Passkey } from '../identity/passkeys.ts'
import { tellNewDevice, type DeviceClient } from '../sessions/known-device.ts'
import { completeSignIn } from '../sessions/open-session.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { partyOf, useChallenge } from './challenge.ts'
import { viewPasskey } from './view-passkey.ts'

export type AddPasskeyInput = {
  readonly name: string
  readonly credential: unknown
  readonly client: DeviceClient
}

/** Adds the passkey that a browser made. The session counts as one that was opened with it. */
export const addPasskey = defineFlow(
  { action: 'passkey.create', permission: 'second-factor', confirmed: true },
  async ({ environment, access }, { name, credential, client }: AddPasskeyInput) => {
    const { database, settings } = environment
    const { account } = await enrollingPerson(database, access)
    const ceremony = { kind: 'passkey registration', accountId: account.id } as const
    const challenge = await useChallenge(database, ceremony, credential)
    const passkey =
      challenge === undefined
        ? undefined
        : await verifyRegistration(partyOf(settings), credential, challenge)
    if (passkey === undefined)
      throw new ApiError('invalid_value', 'The passkey cannot be verified. Begin again.', {
        param: 'credential',
      })
    return storeVerified(environment, access.actor, { name, passkey, client })
  },
)

const storeVerified = defineChange(
  { action: 'passkey.create', permission: 'second-factor', confirmed: true },
  async (
    { environment, transaction, access },
    input: { readonly name: string; readonly passkey: Passkey; readonly client: DeviceClient },
  ) => {
    const { name, passkey, client } = input
    const person = await enrollingPerson(transaction, access)
    const { account } = person
    await lockAccount(transaction, account.id, 'update')
    if ((await listPasskeys(transaction, account.id)).length >= PASSKEYS_MAX)
      throw new ApiError('conflict', `An account has at most ${PASSKEYS_MAX} passkeys.`)
    const stored = await storePasskey(transaction, { ...passkey, accountId: account.id, name })
    if (stored === undefined)
      throw new ApiError('already_exists', 'This passkey is already in use.')
    const opened = await completeSignIn({ environment, transaction }, person, 'passkey', client)
    return {
      value: { opened, passkey: viewPasskey(stored) },
      target: { kind: 'passkey', id: stored.credential_id, label: name },
      afterwards: () => {
        tellFactorChanged(environment, account.email, 'passkey_added')
        tellNewDevice(environment, account.email, opened)
      },
    }
  },
)

import { ApiError } from '../../../contract/error.ts'
import type { GivenFactor } from '../../../contract/management/factor.ts'
import { personOf } from '../accounts/person-of.ts'
import { tellNewDevice, type DeviceClient } from '../sessions/known-device.ts'
import { completeSignIn } from '../sessions/open-session.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { proveFactor } from './prove-factor.ts'

/** Completes a sign-in that lacks its second factor. The session gets a new token. */
export const giveSecondFactor = defineFlow(
  { action: 'session.second_factor', permission: 'second-factor' },
  async (
    { environment, access },
    { client, ...given }: GivenFactor & { readonly client: DeviceClient },
  ) => {
    const { account, session } = personOf(access)
    if (!session.incomplete) throw new ApiError('conflict', 'The sign-in is complete.')
    const method = await proveFactor(environment, account, given)
    return completeSession(environment, access.actor, { method, client })
  },
)

const completeSession = defineChange(
  { action: 'session.second_factor', permission: 'second-factor' },
  async (
    { environment, transaction, access },
    { method, client }: { readonly method: string; readonly client: DeviceClient },
  ) => {
    const person = personOf(access)
    const value = await completeSignIn({ environment, transaction }, person, method, client)
    return {
      value,
      target: { kind: 'account', id: person.account.id, label: person.account.email },
      changes: { methods: [person.session.methods, value.session.methods] },
      afterwards: () => tellNewDevice(environment, person.account.email, value),
    }
  },
)

import { hashPassword } from '../identity/password.ts'
import { renewDevice, type DeviceClient } from '../sessions/known-device.ts'
import { knownAs } from '../sessions/prove-password.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { checkNewPassword } from './check-credentials.ts'
import { personOf } from './person-of.ts'
import { replacePassword, tellPasswordChanged } from './replace-password.ts'

/**
 * Sets a new password of one's own, ends all other sessions and voids every link. No device is
 * known any more but this one, whose tokens are returned.
 */
export const changePassword = defineFlow(
  { action: 'password.change', permission: 'self', confirmed: true },
  async (
    { environment, access },
    { password, client }: { readonly password: string; readonly client: DeviceClient },
  ) => {
    const { id, email } = personOf(access).account
    checkNewPassword(environment.settings, email, password)
    const phc = await environment.passwords.run(knownAs(id), () => hashPassword(password))
    const deviceTokens = await storePassword(environment, access.actor, { phc, client })
    await environment.loginLimits.forget({ kind: 'email', email })
    return deviceTokens
  },
)

const storePassword = defineChange(
  { action: 'password.change', permission: 'self', confirmed: true },
  async (
    { environment, transaction, access },
    { phc, client }: { readonly phc: string; readonly client: DeviceClient },
  ) => {
    const { account, session } = personOf(access)
    await replacePassword(transaction, account.id, phc, session.id)
    return {
      value: await renewDevice(environment, transaction, account, client),
      target: { kind: 'account', id: account.id, label: account.email },
      afterwards: () => tellPasswordChanged(environment, account.email),
    }
  },
)

import { hashPassword } from '../identity/password.ts'
import { partiesOf, type Origin } from '../sessions/prove-password.ts'
import { defineChange, defineFlow } from '../use-case.ts'
import { checkNewPassword } from './check-credentials.ts'
import { personOf } from './person-of.ts'
import { replacePassword, tellPasswordChanged } from './replace-password.ts'

/** Sets a new password of one's own, ends all other sessions and voids every link. */
export const changePassword = defineFlow(
  { action: 'password.change', permission: 'self', confirmed: true },
  async (
    { environment, access },
    { password, client }: { readonly password: string; readonly client: Origin },
  ) => {
    const { email } = personOf(access).account
    checkNewPassword(environment.settings, email, password)
    const parties = partiesOf(client, email)
    const phc = await environment.passwords.run(parties, () => hashPassword(password))
    await storePassword(environment, access.actor, { phc })
    await environment.loginLimits.forget({ kind: 'email', email })
  },
)

const storePassword = defineChange(
  { action: 'password.change', permission: 'self', confirmed: true },
  async ({ environment, transaction, access }, { phc }: { readonly phc: string }) => {
    const { account, session } = personOf(access)
    await replacePassword(transaction, account.id, phc, session.id)
    return {
      value: undefined,
      target: { kind: 'account', id: account.id, label: account.email },
      afterwards: () => tellPasswordChanged(environment, account.email),
    }
  },
)

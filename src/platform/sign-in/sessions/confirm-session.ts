import { ApiError } from '../../../contract/error.ts'
import type { Confirmation } from '../../../contract/management/session.ts'
import { findPassword } from '../../../store/sign-in/passwords.ts'
import type { ActingAccount } from '../../../tenancy/actor.ts'
import { personOf } from '../accounts/person-of.ts'
import type { Environment } from '../../use-case/environment.ts'
import { proveFactor } from '../factors/prove-factor.ts'
import { provePasskey } from '../passkeys/prove-passkey.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { completeSignIn } from './open-session.ts'
import { noteRefused } from './note-refused.ts'
import { provePassword, type Origin } from './prove-password.ts'

type ConfirmInput = Confirmation & { readonly client: Origin }

/** Confirms that it is still the same person. The session gets a new token. */
export const confirmSession = defineFlow(
  { action: 'session.confirm', permission: 'self' },
  async ({ environment, access }, input: ConfirmInput) => {
    const { password, code, credential } = input
    const given = [password, code, credential].filter((proof) => proof !== undefined)
    if (given.length !== 1)
      throw new ApiError('invalid_value', "Send one of 'password', 'code' and 'credential'.", {
        param: 'password',
      })
    const method = await prove(environment, personOf(access).account, input)
    return renewConfirmed(environment, access.actor, { method, client: input.client })
  },
)

async function prove(
  environment: Environment,
  account: ActingAccount,
  { password, code, credential, client }: ConfirmInput,
): Promise<string> {
  if (code !== undefined) return proveFactor(environment, account, { code })
  if (credential !== undefined) {
    if ((await provePasskey(environment, credential)) === account.id) return 'passkey'
    throw new ApiError('invalid_login', 'The passkey belongs to another account.')
  }
  const readPhc = () => findPassword(environment.database, account.id)
  if (await provePassword(environment, client, account.email, password ?? '', readPhc))
    return 'password'
  noteRefused(environment, { account, wrong: 'password', network: client.addressPrefix })
  throw new ApiError('invalid_login', 'The password is wrong.', { param: 'password' })
}

const renewConfirmed = defineChange(
  { action: 'session.confirm', permission: 'self' },
  async (
    { environment, transaction, access },
    { method, client }: { readonly method: string; readonly client: Origin },
  ) => {
    const person = personOf(access)
    const value = await completeSignIn({ environment, transaction }, person, method, client)
    return { value, target: { kind: 'session', id: person.session.id } }
  },
)

import { ApiError } from '../../../contract/error.ts'
import type { BegunTotp } from '../../../contract/management/factor.ts'
import { beginOneTimeFactor } from '../../../store/sign-in/one-time-factors.ts'
import { createTotpSecret, encodeBase32, totpUri } from '../identity/totp.ts'
import { sealerFor } from '../../use-case/sealers.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { enrollingPerson } from './enrolling-person.ts'

const ISSUER = 'Headrace'

/** Begins with an authenticator app. It counts once its first code was entered. */
export const beginTotp = defineChange(
  { action: 'totp.begin', permission: 'second-factor', confirmed: true },
  async ({ environment, transaction, access }) => {
    const { account } = await enrollingPerson(transaction, access)
    const secret = createTotpSecret()
    const sealed = sealerFor(environment.settings, 'one-time factor').seal(secret, account.id)
    if (!(await beginOneTimeFactor(transaction, account.id, sealed)))
      throw new ApiError('already_exists', 'You have an authenticator app. Remove it first.')
    const value: BegunTotp = {
      secret: encodeBase32(secret),
      uri: totpUri(secret, ISSUER, account.email),
    }
    return { value, target: { kind: 'account', id: account.id, label: account.email } }
  },
)

import { ApiError } from '../../../contract/error.ts'
import { findOneTimeFactor, useOneTimeStep } from '../../../store/sign-in/one-time-factors.ts'
import { replaceRecoveryCodes } from '../../../store/sign-in/recovery-codes.ts'
import { tellFactorChanged } from '../accounts/tell-factor-changed.ts'
import { createRecoveryCodes } from '../identity/recovery-codes.ts'
import { findTotpStep } from '../identity/totp.ts'
import { sealerFor } from '../../use-case/sealers.ts'
import { tellNewDevice, type DeviceClient } from '../sessions/known-device.ts'
import { completeSignIn } from '../sessions/open-session.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { enrollingPerson } from './enrolling-person.ts'

/**
 * Ends the enrolment of an authenticator app with its first code: from now on it is asked for. The
 * session counts as one with a second factor; the recovery codes are shown once.
 */
export const confirmTotp = defineChange(
  { action: 'totp.confirm', permission: 'second-factor', confirmed: true },
  async (
    { environment, transaction, access },
    { code, client }: { readonly code: string; readonly client: DeviceClient },
  ) => {
    const person = await enrollingPerson(transaction, access)
    const { account } = person
    const factor = await findOneTimeFactor(transaction, account.id)
    if (factor === undefined || factor.confirmed)
      throw new ApiError('conflict', 'There is no authenticator app to confirm.')
    const { sealed, lastStep } = factor
    const secret = sealerFor(environment.settings, 'one-time factor').open(sealed, account.id)
    const step = findTotpStep(secret, code, Date.now(), lastStep)
    if (step === undefined || !(await useOneTimeStep(transaction, account.id, sealed, step)))
      throw new ApiError('invalid_value', 'The code is wrong, or your clock is.', { param: 'code' })
    const { codes, hashes } = createRecoveryCodes()
    await replaceRecoveryCodes(transaction, account.id, hashes)
    const opened = await completeSignIn({ environment, transaction }, person, 'totp', client)
    return {
      value: { opened, codes },
      target: { kind: 'account', id: account.id, label: account.email },
      changes: { totp: [false, true] },
      afterwards: () => {
        tellFactorChanged(environment, account.email, 'app_added')
        tellNewDevice(environment, account.email, opened)
      },
    }
  },
)

import { ApiError } from '../../../contract/error.ts'
import type { RecoveryCodes } from '../../../contract/management/factor.ts'
import { findOneTimeFactor } from '../../../store/sign-in/one-time-factors.ts'
import {
  countUnusedRecoveryCodes,
  replaceRecoveryCodes,
} from '../../../store/sign-in/recovery-codes.ts'
import { personOf } from '../accounts/person-of.ts'
import { tellFactorChanged } from '../accounts/tell-factor-changed.ts'
import { createRecoveryCodes as newCodes } from '../identity/recovery-codes.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** Makes new recovery codes. The old ones stop working. */
export const createRecoveryCodes = defineChange(
  { action: 'recovery_codes.create', permission: 'self', confirmed: true },
  async ({ environment, transaction, access }) => {
    const { account } = personOf(access)
    const factor = await findOneTimeFactor(transaction, account.id)
    if (factor?.confirmed !== true)
      throw new ApiError('conflict', 'Recovery codes replace an authenticator app; you have none.')
    const before = await countUnusedRecoveryCodes(transaction, account.id)
    const { codes, hashes } = newCodes()
    await replaceRecoveryCodes(transaction, account.id, hashes)
    const value: RecoveryCodes = { recovery_codes: [...codes] }
    return {
      value,
      target: { kind: 'account', id: account.id, label: account.email },
      changes: { unused_codes: [before, hashes.length] },
      afterwards: () => tellFactorChanged(environment, account.email, 'codes_replaced'),
    }
  },
)

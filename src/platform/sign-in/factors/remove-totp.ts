import { deleteOneTimeFactor } from '../../../store/sign-in/one-time-factors.ts'
import { deleteRecoveryCodes } from '../../../store/sign-in/recovery-codes.ts'
import { personOf } from '../accounts/person-of.ts'
import { tellFactorChanged } from '../accounts/tell-factor-changed.ts'
import { notFound } from '../../use-case/authorize.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** Removes the authenticator app and the recovery codes that stand in for it. */
export const removeTotp = defineChange(
  { action: 'totp.remove', permission: 'self', confirmed: true },
  async ({ environment, transaction, access }) => {
    const { account } = personOf(access)
    if (!(await deleteOneTimeFactor(transaction, account.id))) throw notFound()
    await deleteRecoveryCodes(transaction, account.id)
    return {
      value: undefined,
      target: { kind: 'account', id: account.id, label: account.email },
      changes: { totp: [true, false] },
      afterwards: () => tellFactorChanged(environment, account.email, 'app_removed'),
    }
  },
)

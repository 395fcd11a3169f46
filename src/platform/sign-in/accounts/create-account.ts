import { markEmailVerified, readAccount } from '../../../store/people/own-account.ts'
import { createAccount as storeAccount, type NewAccount } from '../../../store/tenants/accounts.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { checkEmail } from './check-credentials.ts'

/**
 * Creates an account for somebody else. Its address counts as confirmed: the operator names it, and
 * decides who gets the link that sets the password. Returns it as it is stored.
 */
export const createAccount = defineChange(
  { action: 'account.create', permission: 'platform:write' },
  async ({ transaction }, account: NewAccount) => {
    checkEmail(account.email)
    const { id } = await storeAccount(transaction, account)
    await markEmailVerified(transaction, id)
    const value = await readAccount(transaction, id)
    return {
      value,
      target: { kind: 'account', id: value.id, label: value.email },
      changes: {
        email: [null, value.email],
        state: [null, value.state],
        registered_at: [null, value.registered_at],
      },
    }
  },
)

import { createAccount as storeAccount, type NewAccount } from '../../store/tenants/accounts.ts'
import { defineChange } from '../use-case.ts'

/** Creates an account for somebody else. Returns it as it is stored. */
export const createAccount = defineChange(
  { action: 'account.create', permission: 'platform:write' },
  async ({ transaction }, account: NewAccount) => {
    const value = await storeAccount(transaction, account)
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

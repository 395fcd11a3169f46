import { findAccount } from '../../store/tenants/accounts.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkNoKey } from './check-no-key.ts'
import { removePerson } from './remove-person.ts'

/** Deletes an account, named by its id or address, for somebody who asked the operator to. */
export const deleteAccount = defineChange(
  { action: 'account.delete', permission: 'platform:write', confirmed: true },
  async ({ environment, transaction, access: { actor } }, input: { readonly account: string }) => {
    checkNoKey(actor)
    const { id } = await findAccount(transaction, input.account)
    return removePerson(environment, transaction, actor, id)
  },
)

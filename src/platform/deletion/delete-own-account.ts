import { personOf } from '../sign-in/accounts/person-of.ts'
import { defineChange } from '../use-case/use-case.ts'
import { removePerson } from './remove-person.ts'

/** Deletes the account of whoever asks. Their sessions end at the next call. */
export const deleteOwnAccount = defineChange(
  { action: 'account.delete', permission: 'self', confirmed: true },
  ({ environment, transaction, access }) =>
    removePerson(environment, transaction, access.actor, personOf(access).account.id),
)

import { deletePasskey } from '../../store/sign-in/passkeys.ts'
import { personOf } from '../accounts/person-of.ts'
import { notFound } from '../authorize.ts'
import { defineChange } from '../use-case.ts'

export const removePasskey = defineChange(
  { action: 'passkey.delete', permission: 'self', confirmed: true },
  async ({ transaction, access }, { id }: { readonly id: string }) => {
    const deleted = await deletePasskey(transaction, personOf(access).account.id, id)
    if (deleted === undefined) throw notFound()
    return { value: undefined, target: { kind: 'passkey', id, label: deleted.name } }
  },
)

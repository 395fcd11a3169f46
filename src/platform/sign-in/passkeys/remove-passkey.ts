import { deletePasskey } from '../../../store/sign-in/passkeys.ts'
import { personOf } from '../accounts/person-of.ts'
import { tellFactorChanged } from '../accounts/tell-factor-changed.ts'
import { notFound } from '../../use-case/authorize.ts'
import { defineChange } from '../../use-case/use-case.ts'

export const removePasskey = defineChange(
  { action: 'passkey.delete', permission: 'self', confirmed: true },
  async ({ environment, transaction, access }, { id }: { readonly id: string }) => {
    const { account } = personOf(access)
    const deleted = await deletePasskey(transaction, account.id, id)
    if (deleted === undefined) throw notFound()
    return {
      value: undefined,
      target: { kind: 'passkey', id, label: deleted.name },
      afterwards: () => tellFactorChanged(environment, account.email, 'passkey_removed'),
    }
  },
)

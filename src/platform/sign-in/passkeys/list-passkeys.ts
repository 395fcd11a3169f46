import { listPasskeys as readPasskeys } from '../../../store/sign-in/passkeys.ts'
import { personOf } from '../accounts/person-of.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewPasskey } from './view-passkey.ts'

export const listPasskeys = defineRead(
  { action: 'passkey.list', permission: 'self' },
  async ({ database, access }) => {
    const rows = await readPasskeys(database, personOf(access).account.id)
    return { data: rows.map(viewPasskey), next: null }
  },
)

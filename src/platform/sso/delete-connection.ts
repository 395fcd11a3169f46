import { ApiError } from '../../contract/error.ts'
import {
  deleteConnection as removeConnection,
  listConnections,
} from '../../store/sign-in/sso-connections.ts'
import { defineChange } from '../use-case.ts'
import { ownConnection } from './own-connection.ts'

/** Removes a connection. Accounts stay; their people need another way to sign in. */
export const deleteConnection = defineChange(
  { action: 'sso_connection.delete', permission: 'sign-in:write', confirmed: true },
  async ({ transaction, access }, { id }: { readonly id: string }) => {
    const { organization } = access
    const connection = await ownConnection(transaction, organization.id, id)
    const all = await listConnections(transaction, organization.id)
    if (organization.sso_only && all.length === 1)
      throw new ApiError('conflict', 'Members must sign in with it. Change that rule first.')
    await removeConnection(transaction, id)
    return {
      value: undefined,
      target: { kind: 'sso_connection', id, label: connection.name },
      changes: { issuer: [connection.issuer, null] },
    }
  },
)

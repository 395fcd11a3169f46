import { deleteConnection as removeConnection } from '../../../store/sign-in/sso-connections.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { checkSsoUsable } from './check-sso-usable.ts'
import { ownConnection } from './own-connection.ts'

/** Removes a connection. Accounts stay; their people need another way to sign in. */
export const deleteConnection = defineChange(
  { action: 'sso_connection.delete', permission: 'sign-in:write', confirmed: true },
  async ({ transaction, access }, { id }: { readonly id: string }) => {
    const organization = await lockOrganization(transaction, access.organization.id)
    const connection = await ownConnection(transaction, organization.id, id)
    await removeConnection(transaction, id)
    if (organization.sso_only) await checkSsoUsable(transaction, organization.id)
    return {
      value: undefined,
      target: { kind: 'sso_connection', id, label: connection.name },
      changes: { issuer: [connection.issuer, null] },
    }
  },
)

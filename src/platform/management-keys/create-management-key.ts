import type {
  CreatedManagementKey,
  NewManagementKey,
} from '../../contract/management/management-key.ts'
import { storeManagementKey } from '../../store/people/management-keys.ts'
import { createApiKey } from '../../tenancy/api-key.ts'
import { scopesOfRole } from '../../tenancy/permissions.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkScopes, readExpiry } from './check-management-key.ts'
import { viewManagementKey } from './view-management-key.ts'

/** Creates a key of the organization. The secret is in the result and nowhere else. */
export const createManagementKey = defineChange(
  { action: 'management_key.create', permission: 'management-keys:write', confirmed: true },
  async ({ environment, transaction, access }, input: NewManagementKey) => {
    const { account } = personOf(access)
    const allowed = access.role === null ? [] : scopesOfRole(access.role)
    const key = createApiKey(environment.settings.api.key_prefix, 'mk')
    const stored = await storeManagementKey(transaction, key, {
      organizationId: access.organization.id,
      name: input.name,
      scopes: checkScopes(input.scopes, allowed),
      createdBy: account.id,
      expiresAt: readExpiry(input.expires_at),
    })
    const view = viewManagementKey(stored)
    const value: CreatedManagementKey = { key, ...view }
    return {
      value,
      target: { kind: 'management_key', id: view.id, label: view.name },
      changes: {
        shown_as: [null, view.shown_as],
        scopes: [null, view.scopes],
        expires_at: [null, view.expires_at],
      },
    }
  },
)

import type {
  CreatedManagementKey,
  NewManagementKey,
} from '../../../contract/management/management-key.ts'
import { storeManagementKey } from '../../../store/people/management-keys.ts'
import { createApiKey } from '../../../tenancy/api-key.ts'
import { PLATFORM_SCOPES } from '../../../tenancy/permissions.ts'
import { personOf } from '../../sign-in/accounts/person-of.ts'
import { checkScopes, readExpiry } from '../../management-keys/check-management-key.ts'
import { viewManagementKey } from '../../management-keys/view-management-key.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** Creates a management key of the platform. It works as long as its creator is an operator. */
export const createPlatformKey = defineChange(
  { action: 'platform_key.create', permission: 'platform-keys:write', confirmed: true },
  async ({ environment, transaction, access }, input: NewManagementKey) => {
    const { account } = personOf(access)
    const key = createApiKey(environment.settings.api.key_prefix, 'mk')
    const stored = await storeManagementKey(transaction, key, {
      organizationId: null,
      name: input.name,
      scopes: checkScopes(input.scopes, PLATFORM_SCOPES),
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

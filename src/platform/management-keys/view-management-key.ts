import type { ManagementKey } from '../../contract/management/management-key.ts'
import type { StoredManagementKey } from '../../store/people/management-keys.ts'
import { displayApiKey } from '../../tenancy/api-key.ts'

export function viewManagementKey(key: StoredManagementKey): ManagementKey {
  return {
    id: key.id,
    name: key.name,
    shown_as: displayApiKey(key),
    scopes: key.scopes,
    created_by: key.created_by,
    created_at: key.created_at.toISOString(),
    expires_at: key.expires_at.toISOString(),
    revoked_at: key.revoked_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
  }
}

import type { Key } from '../../contract/management/key.ts'
import type { StoredKey } from '../../store/tenants/api-keys.ts'
import { displayApiKey } from '../../tenancy/api-key.ts'
import type { Settings } from '../use-case/environment.ts'
import { viewMoney } from '../use-case/view-money.ts'

export function viewKey(key: StoredKey, { currency }: Pick<Settings, 'currency'>): Key {
  return {
    id: key.id,
    name: key.name,
    shown_as: displayApiKey(key),
    project: { id: key.project_id, name: key.project },
    created_by: key.created_by,
    created_at: key.created_at.toISOString(),
    expires_at: key.expires_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
    models: key.models,
    ignored_parameters: key.ignored_parameters,
    requests_per_minute: key.requests_per_minute,
    spending_limit: key.spending_limit === null ? null : viewMoney(key.spending_limit, currency),
    held_limits: key.held_limits,
    replaced_by: key.replaced_by,
    revoked_by: key.revoked_by,
    revoke_reason: key.revoke_reason,
  }
}

/** What its version depends on: using a key is not a change of it. */
export function versionedKey(view: Key): object {
  return { ...view, last_used_at: null }
}

/** What the audit log records of a key. */
export const KEY_FIELDS = [
  'name',
  'project',
  'created_by',
  'expires_at',
  'revoked_at',
  'models',
  'ignored_parameters',
  'requests_per_minute',
  'spending_limit',
  'replaced_by',
  'revoke_reason',
] as const

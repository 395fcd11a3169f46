import type { KeyRevocation } from '../../contract/management/key.ts'
import { revokeApiKey } from '../../store/tenants/api-keys.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { defineChange } from '../use-case/use-case.ts'
import { findKey } from './find-key.ts'
import { KEY_FIELDS, viewKey } from './view-key.ts'

export type RevokeKeyInput = KeyRevocation & { readonly key: string }

/** Permanent, at the next request. Revoking twice announces the revocation again. */
export const revokeKey = defineChange(
  { action: 'key.revoke', permission: 'keys:write' },
  async ({ environment, transaction, access }, { key, reason }: RevokeKeyInput) => {
    const { settings } = environment
    await lockOrganization(transaction, access.organization.id)
    const stored = await findKey(transaction, access, key)
    const by = access.actor.kind === 'person' ? access.actor.account.id : null
    const revoked = await revokeApiKey(transaction, stored, { by, reason: reason ?? null })
    const before = viewKey(stored, settings)
    const value = viewKey(revoked.value, settings)
    return {
      value,
      target: { kind: 'key', id: value.id, label: value.name },
      changes: changedFields(before, value, KEY_FIELDS),
      unchanged: before.revoked_at !== null,
      raised: revoked.raised,
    }
  },
)

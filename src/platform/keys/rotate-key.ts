import { ApiError } from '../../contract/error.ts'
import type { CreatedKey, KeyRotation } from '../../contract/management/key.ts'
import { findApiKey, type StoredKey } from '../../store/tenants/api-keys.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { rotateApiKey } from '../../store/tenants/rotate-api-key.ts'
import { createApiKey } from '../../tenancy/api-key.ts'
import type { Access } from '../use-case/authorize.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { defineChange } from '../use-case/use-case.ts'
import { findKey } from './find-key.ts'
import { KEY_FIELDS, viewKey } from './view-key.ts'

const OVERLAP_SECONDS_DEFAULT = 86_400

export type RotateKeyInput = KeyRotation & { readonly key: string }

/** Creates a key with the same settings; the old one ends after the overlap. */
export const rotateKey = defineChange(
  { action: 'key.rotate', permission: 'keys:write' },
  async ({ environment, transaction, access }, input: RotateKeyInput) => {
    const { settings } = environment
    await lockOrganization(transaction, access.organization.id)
    const old = await findKey(transaction, access, input.key)
    checkMayRotate(access, old)
    const key = createApiKey(settings.api.key_prefix)
    const overlapMs = (input.overlap_seconds ?? OVERLAP_SECONDS_DEFAULT) * 1000
    const { value: stored, raised } = await rotateApiKey(transaction, old, key, { overlapMs })
    const value: CreatedKey = { key, ...viewKey(stored, settings) }
    const after = viewKey(await findApiKey(transaction, old.id), settings)
    return {
      value,
      target: { kind: 'key', id: old.id, label: old.name },
      changes: {
        ...changedFields(viewKey(old, settings), after, KEY_FIELDS),
        shown_as: [after.shown_as, value.shown_as],
      },
      raised,
    }
  },
)

/**
 * Whoever rotates a key gets its secret, and what is done with it is recorded as its owner's. So
 * only the owner rotates a personal key.
 */
function checkMayRotate({ actor }: Access, { created_by: owner }: StoredKey): void {
  if (owner === null || actor.kind === 'operator_shell') return
  if (actor.kind === 'person' && actor.account.id === owner) return
  throw new ApiError(
    'role_required',
    'Only its owner can rotate a personal key. Others can revoke it.',
  )
}

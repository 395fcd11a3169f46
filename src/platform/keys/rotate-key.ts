import type { CreatedKey, KeyRotation } from '../../contract/management/key.ts'
import { findApiKey } from '../../store/tenants/api-keys.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { rotateApiKey } from '../../store/tenants/rotate-api-key.ts'
import { createApiKey } from '../../tenancy/api-key.ts'
import { changedFields } from '../changed-fields.ts'
import { defineChange } from '../use-case.ts'
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

import type { KeyChange } from '../../contract/management/key.ts'
import { changeApiKey } from '../../store/tenants/api-keys.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { checkUnchanged } from '../use-case/etag.ts'
import { defineChange } from '../use-case/use-case.ts'
import { findKey } from './find-key.ts'
import { holdLimits } from './hold-limits.ts'
import { readSettings } from './read-settings.ts'
import { KEY_FIELDS, versionedKey, viewKey } from './view-key.ts'

export type ChangeKeyInput = KeyChange & {
  readonly key: string
  readonly ifMatch?: string | null
}

export const changeKey = defineChange(
  { action: 'key.change', permission: 'keys:write' },
  async ({ environment, transaction, access }, { key, ifMatch, ...asked }: ChangeKeyInput) => {
    const { settings } = environment
    await lockOrganization(transaction, access.organization.id)
    const stored = await findKey(transaction, access, key)
    const before = viewKey(stored, settings)
    checkUnchanged(ifMatch, versionedKey(before))
    const wanted = readSettings(asked, settings)
    const heldLimits = holdLimits(access, stored, wanted)
    const changed = await changeApiKey(transaction, stored, { ...wanted, heldLimits })
    const value = viewKey(changed.value, settings)
    const changes = changedFields(before, value, KEY_FIELDS)
    return {
      value,
      target: { kind: 'key', id: value.id, label: value.name },
      changes,
      unchanged: Object.keys(changes).length === 0,
      raised: changed.raised,
    }
  },
)

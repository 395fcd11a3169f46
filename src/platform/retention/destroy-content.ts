import { destroyContentKeys } from '../../store/content/content-keys.ts'
import { defineChange } from '../use-case/use-case.ts'

/** Makes all kept content of the organization unreadable for good, at once. */
export const destroyContent = defineChange(
  { action: 'content.destroy', permission: 'retention:write', confirmed: true },
  async ({ transaction, access: { organization } }) => {
    const keys = await destroyContentKeys(transaction, organization.id)
    return {
      value: { destroyed_keys: keys },
      target: { kind: 'organization', id: organization.id, label: organization.slug },
      changes: { content_keys: [keys, 0] },
    }
  },
)

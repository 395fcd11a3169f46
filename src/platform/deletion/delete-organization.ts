import { findOrganization } from '../../store/tenants/organizations.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkNoKey } from './check-no-key.ts'
import { endOrganization, type EndingInput } from './end-organization.ts'

/** Deletes an organization, named by its id or slug, as the operator. */
export const deleteOrganization = defineChange(
  { action: 'organization.delete', permission: 'platform:write', confirmed: true },
  async (
    { environment, transaction, access: { actor } },
    input: EndingInput & { readonly organization: string },
  ) => {
    checkNoKey(actor)
    const { organization, forfeit_balance: forfeit = false } = input
    const { id } = await findOrganization(transaction, organization)
    return endOrganization(environment, transaction, actor, { id, forfeit, mayOwe: true })
  },
)

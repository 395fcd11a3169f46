import { defineChange } from '../use-case/use-case.ts'
import { endOrganization, type EndingInput } from './end-organization.ts'

/** Deletes an organization as one of its owners. Its keys are refused from the next request on. */
export const deleteOwnOrganization = defineChange(
  { action: 'organization.delete', permission: 'organization:delete', confirmed: true },
  ({ environment, transaction, access }, { forfeit_balance: forfeit = false }: EndingInput) =>
    endOrganization(environment, transaction, access.actor, {
      id: access.organization.id,
      forfeit,
      mayOwe: false,
    }),
)

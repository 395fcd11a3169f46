import type { Organization } from '../../contract/management/organization.ts'
import { findSupportAccessEnd } from '../../store/people/support-access-end.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewOrganization } from './view-organization.ts'

export const showOrganization = defineRead(
  { action: 'organization.show', permission: 'organization:read' },
  async ({ database, access }, _input: object): Promise<Organization> => {
    const shown = viewOrganization(access.organization)
    if (!access.asSupport) return shown
    const endsAt = await findSupportAccessEnd(database, access.organization.id)
    return endsAt === undefined ? shown : { ...shown, support_access_ends_at: endsAt.toISOString() }
  },
)

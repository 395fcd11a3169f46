import { ApiError } from '../../../contract/error.ts'
import type { OrganizationsQuery } from '../../../contract/management/operator-organization.ts'
import {
  searchOrganizations as search,
  type OrganizationFilter,
} from '../../../store/tenants/search-organizations.ts'
import { viewForOperator } from '../../organizations/view-for-operator.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'

/** Organizations, newest first, or those whose slug or name begins so. */
export const searchOrganizations = defineRead(
  { action: 'organization.list', permission: 'platform:read' },
  ({ database }, query: OrganizationsQuery) => {
    const filter = filterOf(query)
    return readPage(
      query,
      (page) => search(database, filter, page),
      viewForOperator,
      (row) => row.id,
    )
  },
)

function filterOf({ slug_prefix, name_prefix }: OrganizationsQuery): OrganizationFilter {
  if (slug_prefix !== undefined && name_prefix !== undefined)
    throw new ApiError('invalid_value', "Use one of 'slug_prefix' and 'name_prefix' at a time.")
  return {
    ...(slug_prefix !== undefined && { slugPrefix: slug_prefix.toLowerCase() }),
    ...(name_prefix !== undefined && { namePrefix: name_prefix }),
  }
}

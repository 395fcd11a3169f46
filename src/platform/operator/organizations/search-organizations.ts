import type { OrganizationsQuery } from '../../../contract/management/operator-organization.ts'
import {
  countOrganizations,
  searchOrganizations as search,
} from '../../../store/tenants/search-organizations.ts'
import { viewForOperator } from '../../organizations/view-for-operator.ts'
import { orderOf, readPage, withTotal } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'

/** Organizations, newest first, or those with a text. */
export const searchOrganizations = defineRead(
  { action: 'organization.list', permission: 'platform:read' },
  async ({ database }, query: OrganizationsQuery) => {
    const list = await readPage(
      query,
      (page) => search(database, query.q, { ...page, order: orderOf(query) }),
      viewForOperator,
      (row) => row.id,
    )
    return withTotal(query, list, (atMost) => countOrganizations(database, atMost))
  },
)

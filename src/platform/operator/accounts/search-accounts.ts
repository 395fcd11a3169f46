import type { AccountsQuery } from '../../../contract/management/operator-account.ts'
import { ApiError } from '../../../contract/error.ts'
import {
  searchAccounts as search,
  type AccountFilter,
} from '../../../store/tenants/search-accounts.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewAccount } from './view-account.ts'

/** Accounts, newest first; the waiting list, oldest first; or those with a text. */
export const searchAccounts = defineRead(
  { action: 'account.list', permission: 'platform:read' },
  ({ database }, query: AccountsQuery) => {
    const filter = filterOf(query)
    return readPage(
      query,
      (page) => search(database, filter, page),
      viewAccount,
      (row) => row.id,
    )
  },
)

function filterOf({ q, state, platform_role }: AccountsQuery): AccountFilter {
  const given = [q, state, platform_role].filter((value) => value !== undefined)
  // Together they would read many accounts that are not shown.
  if (given.length > 1)
    throw new ApiError('invalid_value', "Use one of 'q', 'state' and 'platform_role' at a time.")
  return {
    ...(q !== undefined && { term: q }),
    ...(state !== undefined && { state }),
    ...(platform_role !== undefined && { platformRole: platform_role }),
  }
}

import type { AccountsQuery } from '../../../contract/management/operator-account.ts'
import { ApiError } from '../../../contract/error.ts'
import {
  searchAccounts as search,
  type AccountFilter,
} from '../../../store/tenants/search-accounts.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewAccount } from './view-account.ts'

/** Accounts, newest first; the waiting list, oldest first; or those whose address begins so. */
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

function filterOf({ email_prefix, state, platform_role }: AccountsQuery): AccountFilter {
  const given = [email_prefix, state, platform_role].filter((value) => value !== undefined)
  // Together they would read many accounts that are not shown.
  if (given.length > 1)
    throw new ApiError(
      'invalid_value',
      "Use one of 'email_prefix', 'state' and 'platform_role' at a time.",
    )
  return {
    ...(email_prefix !== undefined && { emailPrefix: email_prefix }),
    ...(state !== undefined && { state }),
    ...(platform_role !== undefined && { platformRole: platform_role }),
  }
}

import type { Route } from '../route.ts'
import { OPERATOR_ACCOUNT_ROUTES } from './operator-accounts.ts'
import { OPERATOR_BOOK_ROUTES } from './operator-books.ts'
import { OPERATOR_ORGANIZATION_ROUTES } from './operator-organizations.ts'
import { OPERATOR_SYSTEM_ROUTES } from './operator-system.ts'

/** What operators and support ask. */
export const OPERATOR_ROUTES: readonly Route[] = [
  ...OPERATOR_ACCOUNT_ROUTES,
  ...OPERATOR_ORGANIZATION_ROUTES,
  ...OPERATOR_BOOK_ROUTES,
  ...OPERATOR_SYSTEM_ROUTES,
]

import type { PageQuery } from '../../contract/management/schemas.ts'
import { listSupportAccess as list } from '../../store/people/support-access.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewSupportAccess } from './view-access.ts'

export const listSupportAccess = defineRead(
  { action: 'support_access.list', permission: 'support-access:read' },
  ({ database, access }, query: PageQuery) =>
    readPage(
      query,
      (page) => list(database, access.organization.id, page),
      viewSupportAccess,
      ({ id }) => id,
    ),
)

import type { PageQuery } from '../../contract/management/schemas.ts'
import { listManagementKeys as readKeys } from '../../store/people/management-keys.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewManagementKey } from './view-management-key.ts'

export const listManagementKeys = defineRead(
  { action: 'management_key.list', permission: 'management-keys:read', confirmed: true },
  ({ database, access }, query: PageQuery) =>
    readPage(
      query,
      (page) => readKeys(database, access.organization.id, page),
      viewManagementKey,
      (row) => row.id,
    ),
)

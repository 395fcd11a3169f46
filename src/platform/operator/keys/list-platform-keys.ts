import type { PageQuery } from '../../../contract/management/schemas.ts'
import { listManagementKeys } from '../../../store/people/management-keys.ts'
import { viewManagementKey } from '../../management-keys/view-management-key.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'

/** Management keys of the platform, newest first. Only operators see them. */
export const listPlatformKeys = defineRead(
  { action: 'platform_key.list', permission: 'platform-keys:write', confirmed: true },
  ({ database }, query: PageQuery) =>
    readPage(
      query,
      (page) => listManagementKeys(database, null, page),
      viewManagementKey,
      ({ id }) => id,
    ),
)

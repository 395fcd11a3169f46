import type { PageQuery } from '../../contract/management/schemas.ts'
import { listActiveMembers } from '../../store/people/members.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMember } from './view-member.ts'

export const listMembers = defineRead(
  { action: 'member.list', permission: 'members:read' },
  ({ database, access }, query: PageQuery) =>
    readPage(
      query,
      (page) => listActiveMembers(database, access.organization.id, page),
      (row) => viewMember(row, access),
      (row) => row.account_id,
    ),
)

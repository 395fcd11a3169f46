import type { MembersQuery } from '../../contract/management/member.ts'
import { listActiveMembers } from '../../store/people/members.ts'
import { orderOf, readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMember } from './view-member.ts'

export const listMembers = defineRead(
  { action: 'member.list', permission: 'members:read' },
  ({ database, access }, query: MembersQuery) =>
    readPage(
      query,
      (page) =>
        listActiveMembers(database, access.organization.id, { ...page, order: orderOf(query) }),
      (row) => viewMember(row, access),
      (row) => row.account_id,
    ),
)

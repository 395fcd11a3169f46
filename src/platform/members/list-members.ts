import type { MembersQuery } from '../../contract/management/member.ts'
import { countActiveMembers, listActiveMembers } from '../../store/people/members.ts'
import { orderOf, readPage, withTotal } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMember } from './view-member.ts'

export const listMembers = defineRead(
  { action: 'member.list', permission: 'members:read' },
  async ({ database, access }, query: MembersQuery) => {
    const list = await readPage(
      query,
      (page) =>
        listActiveMembers(database, access.organization.id, { ...page, order: orderOf(query) }),
      (row) => viewMember(row, access),
      (row) => row.account_id,
    )
    return withTotal(query, list, (atMost) =>
      countActiveMembers(database, access.organization.id, atMost),
    )
  },
)

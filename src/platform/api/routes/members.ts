import { Type } from 'typebox'
import {
  KEYS_OF_REMOVED,
  Member,
  MemberChange,
  MembersQuery,
} from '../../../contract/management/member.ts'
import { countedListOf } from '../../../contract/management/schemas.ts'
import { changeMember } from '../../members/change-member.ts'
import { listMembers } from '../../members/list-members.ts'
import { leaveOrganization, removeMember } from '../../members/remove-member.ts'
import { defineRoute, type Route } from '../route.ts'

const MEMBERS = '/organizations/{organization}/members'
const MEMBER = `${MEMBERS}/{account}`

export const MEMBER_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: MEMBERS,
    summary: 'List members, newest account first.',
    does: listMembers,
    query: MembersQuery,
    status: 200,
    answer: countedListOf(Member),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'PATCH',
    path: MEMBER,
    summary:
      'Change the role of a member. Only owners change owners; a management key needs the scopes ' +
      'of the new role. Invitations that the member may no longer give are withdrawn.',
    does: changeMember,
    body: MemberChange,
    status: 200,
    answer: Member,
    input: ({ path, body }) => ({
      organization: path['organization']!,
      account: path['account']!,
      ...body,
    }),
    example: { body: { role: 'admin' } },
  }),
  defineRoute({
    method: 'DELETE',
    path: MEMBER,
    summary: 'Remove a member. Open invitations that they made are withdrawn.',
    does: removeMember,
    query: Type.Object({ keys: Type.Optional(KEYS_OF_REMOVED) }, { additionalProperties: false }),
    status: 204,
    input: ({ path, query }) => ({
      organization: path['organization']!,
      account: path['account']!,
      ...query,
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${MEMBERS}/me`,
    summary: 'Leave an organization. Your API keys in it stop working at the next request.',
    does: leaveOrganization,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
]

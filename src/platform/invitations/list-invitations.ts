import type { PageQuery } from '../../contract/management/schemas.ts'
import { listInvitations as readInvitations } from '../../store/people/invitations.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewInvitation } from './view-invitation.ts'

export const listInvitations = defineRead(
  { action: 'invitation.list', permission: 'members:read' },
  ({ database, access }, query: PageQuery) =>
    readPage(
      query,
      (page) => readInvitations(database, access.organization.id, page),
      viewInvitation,
      (row) => row.id,
    ),
)

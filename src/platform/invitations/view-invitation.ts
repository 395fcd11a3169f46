import { ApiError } from '../../contract/error.ts'
import type { Invitation } from '../../contract/management/member.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { InvitationRow } from '../../store/postgres/platform-tables.ts'

const DAYS = 7

export function invitationEndsAt(): Date {
  return new Date(Date.now() + DAYS * DAY_MS)
}

export function viewInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invited_by: row.by_operator ? null : row.invited_by,
    created_at: row.created_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
  }
}

/** The same words whether a token never existed, was used or has expired. */
export function noInvitation(): ApiError {
  return new ApiError(
    'not_found',
    'This invitation was used or withdrawn, or has expired. Ask for another.',
  )
}

import type { SentInvitation } from '../../contract/management/member.ts'
import type { InvitationRow } from '../../store/postgres/platform-tables.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { linkWithToken } from '../sign-in/accounts/links.ts'
import type { Environment } from '../use-case/environment.ts'
import { viewInvitation } from './view-invitation.ts'

type Sending = { readonly value: SentInvitation; readonly afterwards: () => void }

/** By email after the commit, or, if none is sent, as a link for whoever invites. */
export function sendInvitation(
  { settings, mailer }: Pick<Environment, 'settings' | 'mailer'>,
  actor: Actor,
  organization: OrganizationRow,
  row: InvitationRow,
  token: string,
): Sending {
  const link = linkWithToken(settings, 'join', token)
  const { email, role } = row
  const inviter = actor.kind === 'person' ? (actor.account.name ?? actor.account.email) : null
  const language = actor.kind === 'person' ? actor.account.language : null
  const message = {
    kind: 'invitation',
    link,
    organization: organization.name,
    role,
    inviter,
  } as const
  return {
    value: { ...viewInvitation(row), link: mailer.configured ? null : link },
    afterwards: () => mailer.send(email, message, language),
  }
}

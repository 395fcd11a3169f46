import { Type } from 'typebox'
import {
  Invitation,
  InvitationToken,
  Joining,
  Membership,
  NewInvitation,
  OpenInvitation,
  SentInvitation,
} from '../../../contract/management/member.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { SignedIn } from '../../../contract/management/session.ts'
import { acceptInvitation } from '../../invitations/accept-invitation.ts'
import { join } from '../../invitations/join.ts'
import { invite } from '../../invitations/invite.ts'
import { listInvitations } from '../../invitations/list-invitations.ts'
import { lookUpInvitation } from '../../invitations/look-up-invitation.ts'
import { resendInvitation } from '../../invitations/resend-invitation.ts'
import { withdrawInvitation } from '../../invitations/withdraw-invitation.ts'
import { defineRoute, type Route, type RouteRequest } from '../route.ts'
import { replyWithSession } from './sessions.ts'

const INVITATIONS = '/organizations/{organization}/invitations'
const INVITATION = `${INVITATIONS}/{invitation}`
const TOKEN = 'rW0f5m0c1Gk6hJ7oX3yq2uT8vZ4sB9nD5eL1aP6iQ0M'

export const INVITATION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: INVITATIONS,
    summary: 'List open invitations, newest first.',
    does: listInvitations,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(Invitation),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: INVITATIONS,
    summary:
      'Invite somebody by email, for 7 days. Only owners invite owners; a management key needs ' +
      'the scopes of the role. The invitation ends when the inviter may no longer give the role.',
    does: invite,
    body: NewInvitation,
    status: 201,
    answer: SentInvitation,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { email: 'jane@example.com', role: 'member' } },
  }),
  defineRoute({
    method: 'POST',
    path: `${INVITATION}/resend`,
    summary: 'Send an invitation again, with a new link. The old link stops working.',
    does: resendInvitation,
    status: 200,
    answer: SentInvitation,
    secret: true,
    input: named,
  }),
  defineRoute({
    method: 'DELETE',
    path: INVITATION,
    summary: 'Withdraw an invitation.',
    does: withdrawInvitation,
    status: 204,
    input: named,
  }),
  defineRoute({
    method: 'POST',
    path: '/invitations/look-up',
    summary: 'Show who invites into what, with the token of a link.',
    does: lookUpInvitation,
    body: InvitationToken,
    status: 200,
    answer: OpenInvitation,
    input: ({ body }) => body,
    example: { body: { token: TOKEN } },
  }),
  defineRoute({
    method: 'POST',
    path: '/invitations/join',
    summary: 'Create your account with an invitation that was sent to you by email, and sign in.',
    does: join,
    body: Joining,
    status: 201,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { token: TOKEN, name: 'Jane Miller', password: 'k7-plum-otter' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/invitations/accept',
    summary: 'Accept an invitation for your address, with the token of a link.',
    does: acceptInvitation,
    body: InvitationToken,
    status: 200,
    answer: Membership,
    input: ({ body }) => body,
    example: { body: { token: TOKEN } },
  }),
]

function named({ path }: RouteRequest<unknown, unknown>) {
  return { organization: path['organization']!, invitation: path['invitation']! }
}

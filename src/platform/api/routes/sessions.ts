import { Type } from 'typebox'
import { LinkUse } from '../../../contract/management/account.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { Confirmation, Session, SignedIn, SignIn } from '../../../contract/management/session.ts'
import { confirmSession } from '../../sign-in/sessions/confirm-session.ts'
import { endOtherSessions, endSession, signOut } from '../../sign-in/sessions/end-sessions.ts'
import { listSessions } from '../../sign-in/sessions/list-sessions.ts'
import type { OpenedSession } from '../../sign-in/sessions/open-session.ts'
import { signInWithLink } from '../../sign-in/sessions/sign-in-link.ts'
import { signIn } from '../../sign-in/sessions/sign-in.ts'
import { viewSession } from '../../sign-in/sessions/view-session.ts'
import { deviceCookies } from '../device-cookie.ts'
import { defineRoute, type Reply, type Route } from '../route.ts'
import { ENDED_SESSION_COOKIE, sessionCookie } from '../session-cookie.ts'

/** The answer that gives a browser its session. The token is in the cookie only. */
export function replyWithSession(opened: OpenedSession): Reply {
  const { session, secondFactor } = opened
  return {
    body: { session: viewSession(session, session.id), second_factor: secondFactor },
    cookies: cookiesOf(opened),
  }
}

/** What a browser keeps of a sign-in: the session, and that it is no new device. */
export function cookiesOf({ token, deviceTokens }: OpenedSession): string[] {
  return [sessionCookie(token), ...deviceCookies(deviceTokens)]
}

export const SESSION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/sessions',
    summary: 'Sign in with a password. The session is in the cookie.',
    does: signIn,
    body: SignIn,
    status: 201,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { email: 'jane@example.com', password: 'k7-plum-otter' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/sessions/link',
    summary: 'Sign in with the token of a link that `headrace dev` printed. It works once.',
    does: signInWithLink,
    body: LinkUse,
    status: 201,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { token: 'rW0f5m0c1Gk6hJ7oX3yq2uT8vZ4sB9nD5eL1aP6iQ0M' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/sessions',
    summary: 'List your sessions, newest first.',
    does: listSessions,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(Session),
    input: ({ query }) => query,
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sessions',
    summary: 'End all your other sessions.',
    does: endOtherSessions,
    status: 204,
    input: () => ({}),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sessions/{session}',
    summary: 'End one of your sessions.',
    does: endSession,
    status: 204,
    input: ({ path }) => ({ id: path['session']! }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sessions/current',
    summary: 'Sign out.',
    does: signOut,
    status: 204,
    input: () => ({}),
    reply: () => ({ cookies: [ENDED_SESSION_COOKIE] }),
  }),
  defineRoute({
    method: 'POST',
    path: '/sessions/current/confirm',
    summary: 'Confirm that it is you: password, code or passkey. Lasts ten minutes.',
    does: confirmSession,
    body: Confirmation,
    status: 200,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { password: 'k7-plum-otter' } },
  }),
]

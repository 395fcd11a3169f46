import { Type } from 'typebox'
import {
  EmailChange,
  EmailOnly,
  LinkUse,
  Me,
  MeChange,
  NewOwnOrganization,
  OwnOrganization,
  PasswordByLink,
  PasswordChange,
  PasswordSet,
  Registration,
  SignUp,
  SignUpLink,
} from '../../../contract/management/account.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { changePassword } from '../../sign-in/accounts/change-password.ts'
import { completeSignUp, lookUpSignUp } from '../../sign-in/accounts/complete-sign-up.ts'
import { exportOwnData } from '../../sign-in/accounts/export-own-data.ts'
import { changeMe, showMe } from '../../sign-in/accounts/me.ts'
import {
  createOwnOrganization,
  listMyOrganizations,
} from '../../sign-in/accounts/own-organizations.ts'
import { register } from '../../sign-in/accounts/register.ts'
import { requestEmailChange } from '../../sign-in/accounts/request-email-change.ts'
import {
  completePasswordReset,
  requestPasswordReset,
} from '../../sign-in/accounts/reset-password.ts'
import { signUp } from '../../sign-in/accounts/sign-up.ts'
import { lookUpEmailChange, verifyEmail } from '../../sign-in/accounts/verify-email.ts'
import { deleteOwnAccount } from '../../deletion/delete-own-account.ts'
import { SignedIn } from '../../../contract/management/session.ts'
import { deviceCookies } from '../device-cookie.ts'
import { defineRoute, type Route } from '../route.ts'
import { createExports } from '../send-export.ts'
import { ENDED_SESSION_COOKIE } from '../session-cookie.ts'
import { replyWithSession } from './sessions.ts'

const TOKEN = 'rW0f5m0c1Gk6hJ7oX3yq2uT8vZ4sB9nD5eL1aP6iQ0M'

/** For people who are not signed in. The answers tell nothing about an address. */
const PUBLIC_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/sign-ups',
    summary: 'Ask for an account. What happens is sent to the address.',
    does: signUp,
    body: SignUp,
    status: 202,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    example: { body: { email: 'jane@example.com' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/sign-ups/look-up',
    summary: 'Show the address of a sign-up with the token of a link, which is not used.',
    does: lookUpSignUp,
    body: LinkUse,
    status: 200,
    answer: SignUpLink,
    input: ({ body }) => body,
    example: { body: { token: TOKEN } },
  }),
  defineRoute({
    method: 'POST',
    path: '/sign-ups/complete',
    summary:
      'Create the account of a sign-up with the token of a link and a password, and sign in.',
    does: completeSignUp,
    body: PasswordByLink,
    status: 201,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { token: TOKEN, password: 'k7-plum-otter' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/email-verifications/look-up',
    summary: 'Show whose address a link changes with its token, which is not used.',
    does: lookUpEmailChange,
    body: LinkUse,
    status: 200,
    answer: EmailChange,
    input: ({ body }) => body,
    example: { body: { token: TOKEN } },
  }),
  defineRoute({
    method: 'POST',
    path: '/email-verifications',
    summary: 'Confirm a new email address with the token of a link.',
    does: verifyEmail,
    body: LinkUse,
    status: 204,
    input: ({ body }) => body,
    example: { body: { token: TOKEN } },
  }),
  defineRoute({
    method: 'POST',
    path: '/password-resets',
    summary: 'Ask for a link that sets a new password.',
    does: requestPasswordReset,
    body: EmailOnly,
    status: 202,
    input: ({ body, client }) => ({ ...body, client }),
    example: { body: { email: 'jane@example.com' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/password-resets/complete',
    summary: 'Set a new password with the token of a link. All sessions end.',
    does: completePasswordReset,
    body: PasswordByLink,
    status: 200,
    answer: PasswordSet,
    secret: true,
    input: ({ body }) => body,
    example: { body: { token: TOKEN, password: 'k7-plum-otter' } },
  }),
]

const OWN_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/me',
    summary: 'Show your account.',
    does: showMe,
    status: 200,
    answer: Me,
    input: () => ({}),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/me',
    summary: 'Change your name or your language.',
    does: changeMe,
    body: MeChange,
    status: 200,
    answer: Me,
    input: ({ body }) => body,
    example: { body: { name: 'Jane Miller' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/me/export',
    summary: 'Everything that the service knows of you, as a JSON file.',
    does: exportOwnData,
    status: 200,
    contentType: 'application/json',
    input: () => ({}),
    send: createExports(),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/me',
    summary: 'Delete your account for good. Refused while you are the only owner somewhere.',
    does: deleteOwnAccount,
    status: 204,
    input: () => ({}),
    reply: () => ({ cookies: [ENDED_SESSION_COOKIE] }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/me/password',
    summary: 'Set a new password. All other sessions end, and no link works any more.',
    does: changePassword,
    body: PasswordChange,
    status: 204,
    input: ({ body, client }) => ({ ...body, client }),
    reply: (deviceTokens) => ({ cookies: deviceCookies(deviceTokens) }),
    example: { body: { password: 'k7-plum-otter' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/me/email',
    summary: 'Ask for a new email address. It changes when the link sent there is used.',
    does: requestEmailChange,
    body: EmailOnly,
    status: 202,
    input: ({ body, client }) => ({ ...body, client }),
    example: { body: { email: 'jane@example.org' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/me/registration',
    summary: 'Complete your registration.',
    does: register,
    body: Registration,
    status: 200,
    answer: Me,
    input: ({ body }) => body,
    example: { body: { name: 'Jane Miller', terms_version: '1' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/me/organizations',
    summary: 'List your organizations, newest first.',
    does: listMyOrganizations,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(OwnOrganization),
    input: ({ query }) => query,
  }),
  defineRoute({
    method: 'POST',
    path: '/organizations',
    summary: 'Create an organization of your own.',
    does: createOwnOrganization,
    body: NewOwnOrganization,
    status: 201,
    answer: OwnOrganization,
    input: ({ body }) => body,
    example: { body: { slug: 'acme', name: 'Acme' } },
  }),
]

export const ACCOUNT_ROUTES: readonly Route[] = [...PUBLIC_ROUTES, ...OWN_ROUTES]

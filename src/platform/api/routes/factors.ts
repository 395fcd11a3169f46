import {
  BegunTotp,
  ConfirmTotp,
  GivenFactor,
  NewPasskey,
  Passkey,
  PasskeyOptions,
  PasskeySignIn,
  RecoveryCodes,
} from '../../../contract/management/factor.ts'
import { listOf } from '../../../contract/management/schemas.ts'
import { SignedIn } from '../../../contract/management/session.ts'
import { beginTotp } from '../../sign-in/factors/begin-totp.ts'
import { confirmTotp } from '../../sign-in/factors/confirm-totp.ts'
import { createRecoveryCodes } from '../../sign-in/factors/create-recovery-codes.ts'
import { giveSecondFactor } from '../../sign-in/factors/give-second-factor.ts'
import { removeTotp } from '../../sign-in/factors/remove-totp.ts'
import { addPasskey } from '../../sign-in/passkeys/add-passkey.ts'
import { listPasskeys } from '../../sign-in/passkeys/list-passkeys.ts'
import { beginPasskey, beginPasskeySignIn } from '../../sign-in/passkeys/passkey-options.ts'
import { removePasskey } from '../../sign-in/passkeys/remove-passkey.ts'
import { signInWithPasskey } from '../../sign-in/passkeys/sign-in-with-passkey.ts'
import { defineRoute, type Route } from '../route.ts'
import { cookiesOf, replyWithSession } from './sessions.ts'

export const FACTOR_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/me/totp',
    summary: 'Enrol an authenticator app. It becomes active when its first code is confirmed.',
    does: beginTotp,
    status: 201,
    answer: BegunTotp,
    secret: true,
    input: () => ({}),
  }),
  defineRoute({
    method: 'POST',
    path: '/me/totp/confirm',
    summary: 'Confirm the authenticator app with a code. The answer has the recovery codes.',
    does: confirmTotp,
    body: ConfirmTotp,
    status: 200,
    answer: RecoveryCodes,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: ({ opened, codes }) => ({
      body: { recovery_codes: codes },
      cookies: cookiesOf(opened),
    }),
    example: { body: { code: '123456' } },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/me/totp',
    summary: 'Remove the authenticator app and the recovery codes.',
    does: removeTotp,
    status: 204,
    input: () => ({}),
  }),
  defineRoute({
    method: 'POST',
    path: '/me/recovery-codes',
    summary: 'Create new recovery codes. The old ones stop working.',
    does: createRecoveryCodes,
    status: 201,
    answer: RecoveryCodes,
    secret: true,
    input: () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/me/passkeys',
    summary: 'List your passkeys, newest first.',
    does: listPasskeys,
    status: 200,
    answer: listOf(Passkey),
    input: () => ({}),
  }),
  defineRoute({
    method: 'POST',
    path: '/me/passkeys/options',
    summary: 'Get what a browser needs to make a passkey. Valid for five minutes, once.',
    does: beginPasskey,
    status: 200,
    answer: PasskeyOptions,
    secret: true,
    input: () => ({}),
  }),
  defineRoute({
    method: 'POST',
    path: '/me/passkeys',
    summary: 'Add the passkey that the browser made.',
    does: addPasskey,
    body: NewPasskey,
    status: 201,
    answer: Passkey,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: ({ opened, passkey }) => ({ body: passkey, cookies: cookiesOf(opened) }),
    example: { body: { name: 'Laptop', credential: { id: 'AAAA', response: {} } } },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/me/passkeys/{passkey}',
    summary: 'Remove a passkey.',
    does: removePasskey,
    status: 204,
    input: ({ path }) => ({ id: path['passkey']! }),
  }),
  defineRoute({
    method: 'POST',
    path: '/sessions/second-factor',
    summary: 'Complete a sign-in with a code of the app or with a recovery code.',
    does: giveSecondFactor,
    body: GivenFactor,
    status: 200,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { code: '123456' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/sessions/passkey/options',
    summary: 'Get what a browser needs to sign in with a passkey. Valid for five minutes, once.',
    does: beginPasskeySignIn,
    status: 200,
    answer: PasskeyOptions,
    secret: true,
    input: () => ({}),
  }),
  defineRoute({
    method: 'POST',
    path: '/sessions/passkey',
    summary: 'Sign in with a passkey. The session is in the cookie.',
    does: signInWithPasskey,
    body: PasskeySignIn,
    status: 201,
    answer: SignedIn,
    secret: true,
    input: ({ body, client }) => ({ ...body, client }),
    reply: replyWithSession,
    example: { body: { credential: { id: 'AAAA', response: {} } } },
  }),
]

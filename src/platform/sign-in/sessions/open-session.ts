import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import { organizationsToTell } from '../../../store/people/organizations-to-tell.ts'
import { createSession, endSession, renewSession } from '../../../store/sign-in/sessions.ts'
import { readSignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { SessionRow } from '../../../store/postgres/platform-tables.ts'
import { findAccount, lockAccount } from '../../../store/tenants/accounts.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import type { Environment } from '../../use-case/environment.ts'
import { createToken } from '../identity/token.ts'
import {
  rememberDevice,
  tellNewDevice,
  type DeviceClient,
  type RememberedDevice,
} from './known-device.ts'
import { judgeSignIn, sessionLife, type SecondFactor } from './session-rules.ts'

/** What a use case needs to open or renew a session within its change. */
type Changing = {
  readonly environment: Environment
  readonly transaction: Transaction<Tables>
}

/** The token goes into the cookie and nowhere else. */
export type OpenedSession = {
  readonly token: string
  readonly session: SessionRow
  readonly secondFactor: SecondFactor
} & RememberedDevice

export type SessionClient = DeviceClient & {
  readonly userAgent: string | null
  readonly addressPrefix: string
}

/**
 * Opens a session after a first proof of identity. The session of the cookie that the browser had
 * is ended. The caller has checked that the account is not restricted.
 */
export async function openSession(
  { environment, transaction }: Changing,
  actor: Actor,
  account: { readonly id: string; readonly email: string },
  method: string,
  client: SessionClient,
): Promise<OpenedSession> {
  if (actor.kind === 'person') await endSession(transaction, actor.account.id, actor.session.id)
  const { settings } = environment
  const facts = await readSignInFacts(transaction, account.id)
  const secondFactor = judgeSignIn(settings.console, facts, [method])
  const { token, hash } = createToken()
  const session = await createSession(transaction, {
    accountId: account.id,
    tokenHash: hash,
    ...sessionLife(settings.console, facts, secondFactor),
    methods: [method],
    incomplete: secondFactor !== 'complete',
    userAgent: client.userAgent,
    addressPrefix: client.addressPrefix,
  })
  const device =
    secondFactor === 'complete'
      ? await rememberDevice(environment, transaction, account, client)
      : AS_BEFORE
  return { token, session, secondFactor, ...device }
}

/** A device is remembered when a sign-in becomes complete, and at no other time. */
const AS_BEFORE: RememberedDevice = { deviceTokens: null, isNews: false }

/** Opens a session for an account whose holder was proved without a password, unless restricted. */
export async function openUnlessRestricted(
  changing: Changing,
  actor: Actor,
  method: string,
  { accountId, client }: { readonly accountId: string; readonly client: SessionClient },
) {
  await lockAccount(changing.transaction, accountId, 'share')
  const { state, email } = await findAccount(changing.transaction, accountId)
  if (state === 'restricted')
    throw new ApiError('account_restricted', 'This account is restricted.')
  const opened = await openSession(changing, actor, { id: accountId, email }, method, client)
  const { id, methods } = opened.session
  return {
    value: opened,
    target: { kind: 'account', id: accountId, label: email },
    organizationIds: await organizationsToTell(changing.transaction, accountId),
    changes: { session: [null, id], methods: [null, methods] },
    afterwards: () => tellNewDevice(changing.environment, email, opened),
  } as const
}

/**
 * Renews the session of a person after a further proof of identity: the second factor, or a
 * confirmation. It has a new token, and is complete if what was given is enough.
 */
export async function completeSignIn(
  { environment, transaction }: Changing,
  actor: Actor & { readonly kind: 'person' },
  method: string,
  client: DeviceClient,
): Promise<OpenedSession> {
  const { settings } = environment
  const facts = await readSignInFacts(transaction, actor.account.id)
  const secondFactor = judgeSignIn(settings.console, facts, [...actor.session.methods, method])
  const { token, hash } = createToken()
  const session = await renewSession(transaction, actor.session, {
    tokenHash: hash,
    method,
    incomplete: secondFactor !== 'complete',
    // A confirmation does not make a session last longer.
    ...(actor.session.incomplete && {
      life: sessionLife(settings.console, facts, secondFactor),
    }),
  })
  if (session === undefined) throw new ApiError('unauthenticated', 'You are not signed in.')
  const device =
    actor.session.incomplete && secondFactor === 'complete'
      ? await rememberDevice(environment, transaction, actor.account, client)
      : AS_BEFORE
  return { token, session, secondFactor, ...device }
}

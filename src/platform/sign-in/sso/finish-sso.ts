import { traceError } from '../../../lib/log.ts'
import { findConnection } from '../../../store/sign-in/sso-connections.ts'
import { ChangeRefused } from '../../../store/tenants/changes.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import type { Environment } from '../../use-case/environment.ts'
import { finishOidc, OidcRefused } from '../identity/oidc.ts'
import type { OpenedSession, SessionClient } from '../sessions/open-session.ts'
import { defineFlow } from '../../use-case/use-case.ts'
import { clientOf, guardOf } from './oidc-client.ts'
import { confirmWithSso, openWithSso } from './open-with-sso.ts'
import { takeFlow } from './sso-flow.ts'
import { failedPath, pageOf, SsoRefused } from './sso-pages.ts'

type FinishInput = {
  /** The connection whose address the browser returned to. */
  readonly connection: string
  readonly query: Readonly<Record<string, string>>
  /** The value of the cookie that was set at the start. */
  readonly cookie: string | undefined
  readonly client: SessionClient
}

/** The session is null if the sign-in was refused. */
export type FinishedSso = { readonly location: string; readonly opened: OpenedSession | null }

/** Receives the browser from the identity provider. */
export const finishSso = defineFlow(
  { action: 'sso.finish', permission: 'anyone' },
  async ({ environment, access }, input: FinishInput): Promise<FinishedSso> => {
    const { settings, log } = environment
    try {
      const { to, opened } = await finish(environment, access.actor, input)
      return { location: pageOf(settings, to), opened }
    } catch (error) {
      const failure = failureOf(error)
      log.info({ code: failure, error: traceError(error) }, 'sso sign-in refused')
      return { location: pageOf(settings, failedPath(failure)), opened: null }
    }
  },
)

async function finish(
  environment: Environment,
  actor: Actor,
  { connection: returnedTo, query, cookie, client }: FinishInput,
): Promise<{ readonly to: string; readonly opened: OpenedSession }> {
  const { database, settings } = environment
  const { state } = query
  if (state === undefined || cookie === undefined) throw new SsoRefused('invalid')
  const flow = await takeFlow(environment, state, cookie)
  if (flow === undefined) throw new SsoRefused('invalid')
  const { oidc, connectionId, to, confirms } = flow
  // A code that came to the address of one connection must not be sent to the provider of another.
  if (connectionId !== returnedTo) throw new SsoRefused('invalid')
  // It may have been deleted meanwhile.
  const connection = await findConnection(database, connectionId)
  if (connection === undefined) throw new SsoRefused('invalid')
  const provider = clientOf(settings, connection)
  const parameters = new URLSearchParams(query)
  const person = await finishOidc(provider, guardOf(settings), oidc, parameters)
  if (!person.emailVerified) throw new SsoRefused('email_unverified')
  const proved = { connection, person, client }
  if (confirms === null) return { to, opened: await openWithSso(environment, actor, proved) }
  if (actor.kind !== 'person' || actor.session.id !== confirms) throw new SsoRefused('other_person')
  return { to, opened: await confirmWithSso(environment, actor, proved) }
}

function failureOf(error: unknown): SsoRefused['failure'] {
  if (error instanceof SsoRefused) return error.failure
  // Two first sign-ins at once: the second attempt finds the account.
  if (error instanceof OidcRefused || error instanceof ChangeRefused) return 'invalid'
  throw error
}

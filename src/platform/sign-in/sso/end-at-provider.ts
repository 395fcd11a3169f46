import { ApiError } from '../../../contract/error.ts'
import { traceError } from '../../../lib/log.ts'
import { storeChallengeOnce } from '../../../store/sign-in/challenges.ts'
import { findConnection, type ConnectionRow } from '../../../store/sign-in/sso-connections.ts'
import { findIdentity } from '../../../store/sign-in/sso-identities.ts'
import { endSessionsOfProvider } from '../../../store/sign-in/sso-sessions.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { notFound } from '../../use-case/authorize.ts'
import {
  LOGOUT_TOKEN_LIFE_MS,
  LogoutRefused,
  verifyLogoutToken,
  type LogoutClaims,
} from '../identity/oidc-logout.ts'
import { OidcRefused } from '../identity/oidc.ts'
import { hashToken } from '../identity/token.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { clientOf, guardOf } from './oidc-client.ts'

type LogoutInput = { readonly connection: string; readonly token: string }

/** In the audit log. The token proves that it is the provider. */
const PROVIDER = 'identity provider'

/** A provider says that somebody has signed out there (back-channel logout). */
export const endAtProvider = defineFlow(
  { action: 'session.end', permission: 'anyone' },
  async ({ environment, access }, { connection: id, token }: LogoutInput): Promise<void> => {
    const { database, settings, log } = environment
    const connection = isUuid(id) ? await findConnection(database, id) : undefined
    if (connection === undefined) throw notFound()
    const { request } = access.actor
    const provider: Actor = { kind: 'system', name: PROVIDER, request }
    try {
      const client = clientOf(settings, connection)
      const claims = await verifyLogoutToken(client, guardOf(settings), token)
      await endSessions(environment, provider, { connection, claims })
    } catch (error) {
      const { organization_id: organizationId } = connection
      if (error instanceof LogoutRefused) {
        log.info({ organizationId, error: traceError(error) }, 'back-channel logout refused')
        throw new ApiError('invalid_value', "'logout_token' is not valid.", {
          param: 'logout_token',
        })
      }
      if (!(error instanceof OidcRefused)) throw error
      log.warn({ organizationId, error: traceError(error) }, 'identity provider unavailable')
      throw new ApiError('service_unavailable', 'The identity provider does not answer.', {
        cause: error,
      })
    }
  },
)

type Verified = { readonly connection: ConnectionRow; readonly claims: LogoutClaims }

/** Ends sessions that came from this connection, and no other sessions of the person. */
const endSessions = defineChange(
  { action: 'session.end', permission: 'anyone' },
  async ({ transaction }, { connection, claims: { jti, subject, sid } }: Verified) => {
    const isNew = await storeChallengeOnce(transaction, {
      hash: hashToken(`${connection.id} ${jti}`),
      kind: 'logout',
      accountId: null,
      data: Buffer.alloc(0),
      // Twice as long: the provider's clock may be ahead.
      lifeMs: 2 * LOGOUT_TOKEN_LIFE_MS,
    })
    if (!isNew) throw new LogoutRefused('it was used before')
    const accountId =
      subject === null ? null : await findIdentity(transaction, connection.id, subject)
    const ended =
      accountId === undefined
        ? 0
        : await endSessionsOfProvider(transaction, connection.id, { accountId, sid })
    return {
      value: undefined,
      target: { kind: 'sso_connection', id: connection.id, label: connection.name },
      organizationId: connection.organization_id,
      changes: {
        sessions_ended: [null, ended],
        ...(subject !== null && { subject: [null, subject] as const }),
      },
      unchanged: ended === 0,
    }
  },
)

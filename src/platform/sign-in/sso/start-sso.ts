import { ApiError } from '../../../contract/error.ts'
import { traceError } from '../../../lib/log.ts'
import { findConnection } from '../../../store/sign-in/sso-connections.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import { personOf } from '../accounts/person-of.ts'
import { notFound } from '../../use-case/authorize.ts'
import { OidcRefused, startOidc } from '../identity/oidc.ts'
import { safePath } from '../identity/safe-path.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { clientOf, guardOf } from './oidc-client.ts'
import { rememberFlow } from './sso-flow.ts'

type StartInput = {
  readonly connection: string
  readonly to?: string
  readonly confirm?: boolean
}

/** Where the browser goes next, and the cookie that it takes along. */
type Started = { readonly location: string; readonly cookie: string }

/**
 * Begins a sign-in at the identity provider. It changes what the browser is about to do, so it is a
 * POST of the console's own pages: a link of another site could otherwise sign somebody in to an
 * account of its choice (login CSRF). The answer is an address and not a redirect, because the
 * policy of the pages lets forms go nowhere else.
 */
export const startSso = defineRead(
  { action: 'sso.start', permission: 'anyone' },
  async ({ environment, database, access }, input: StartInput): Promise<Started> => {
    const { settings, log } = environment
    const { connection: id, to, confirm = false } = input
    const connection = isUuid(id) ? await findConnection(database, id) : undefined
    if (connection === undefined) throw notFound()
    const person = confirm ? personOf(access) : undefined
    if (person?.session.incomplete === true)
      throw new ApiError('second_factor_required', 'Complete the sign-in with your second factor.')
    try {
      const { url, flow } = await startOidc(clientOf(settings, connection), guardOf(settings), {
        fresh: confirm,
        nowMs: Date.now(),
        ...(person !== undefined && { loginHint: person.account.email }),
      })
      const cookie = await rememberFlow(environment, {
        oidc: flow,
        connectionId: connection.id,
        to: safePath(to),
        confirms: person?.session.id ?? null,
      })
      return { location: url, cookie }
    } catch (error) {
      if (!(error instanceof OidcRefused)) throw error
      const { organization_id: organizationId } = connection
      log.warn({ organizationId, error: traceError(error) }, 'identity provider unavailable')
      throw new ApiError('service_unavailable', 'The identity provider does not answer.', {
        cause: error,
      })
    }
  },
)

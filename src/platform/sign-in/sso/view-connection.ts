import type { SsoConnection } from '../../../contract/management/sso.ts'
import type { ConnectionRow } from '../../../store/sign-in/sso-connections.ts'
import type { Settings } from '../../use-case/environment.ts'
import { logoutUri, redirectUri } from './oidc-client.ts'

/** Never the secret. */
export function viewConnection(settings: Settings, row: ConnectionRow): SsoConnection {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    client_id: row.client_id,
    default_role: row.default_role,
    redirect_uri: redirectUri(settings, row.id),
    backchannel_logout_uri: logoutUri(settings, row.id),
    created_at: row.created_at.toISOString(),
  }
}

import type { NextSsoConnection } from '../../../contract/management/sso.ts'
import {
  listConnections as readConnections,
  nextConnectionId,
} from '../../../store/sign-in/sso-connections.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { logoutUri, redirectUri } from './oidc-client.ts'
import { viewConnection } from './view-connection.ts'

export const listConnections = defineRead(
  { action: 'sso_connection.list', permission: 'sign-in:read', confirmed: true },
  async ({ environment, database, access }) => {
    const rows = await readConnections(database, access.organization.id)
    return { data: rows.map((row) => viewConnection(environment.settings, row)), next: null }
  },
)

/** What a provider asks for before it gives the client id and the secret of a new connection. */
export const showNextConnection = defineRead(
  { action: 'sso_connection.show_next', permission: 'sign-in:read', confirmed: true },
  async ({ environment: { settings }, database, access }): Promise<NextSsoConnection> => {
    const organization = access.organization.id
    const id = nextConnectionId(organization, await readConnections(database, organization))
    return {
      id,
      redirect_uri: redirectUri(settings, id),
      backchannel_logout_uri: logoutUri(settings, id),
    }
  },
)

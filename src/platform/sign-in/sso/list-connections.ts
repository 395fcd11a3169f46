import { listConnections as readConnections } from '../../../store/sign-in/sso-connections.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewConnection } from './view-connection.ts'

export const listConnections = defineRead(
  { action: 'sso_connection.list', permission: 'sign-in:read', confirmed: true },
  async ({ environment, database, access }) => {
    const rows = await readConnections(database, access.organization.id)
    return { data: rows.map((row) => viewConnection(environment.settings, row)), next: null }
  },
)

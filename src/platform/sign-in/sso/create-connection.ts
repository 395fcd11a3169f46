import { ApiError } from '../../../contract/error.ts'
import type { NewSsoConnection } from '../../../contract/management/sso.ts'
import {
  CONNECTIONS_MAX,
  createConnection as storeConnection,
  listConnections,
  nextConnectionId,
} from '../../../store/sign-in/sso-connections.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { checkIssuer, sealSecret } from './oidc-client.ts'
import { viewConnection } from './view-connection.ts'

const FACTS = {
  action: 'sso_connection.create',
  permission: 'sign-in:write',
  confirmed: true,
} as const

/** Connects an identity provider. It signs in nobody until a domain is verified. */
export const createConnection = defineFlow(
  FACTS,
  async ({ environment, access }, input: NewSsoConnection) => {
    await checkIssuer(environment.settings, input.issuer)
    const organization = access.organization.id
    return storeChecked(environment, access.actor, { ...input, organization })
  },
)

const storeChecked = defineChange(
  FACTS,
  async ({ environment, transaction, access }, input: NewSsoConnection) => {
    const { settings } = environment
    const { client_secret: secret, default_role: role = 'member', name, issuer, client_id } = input
    const organization = access.organization.id
    const others = await listConnections(transaction, organization)
    if (others.length >= CONNECTIONS_MAX)
      throw new ApiError('conflict', `An organization has at most ${CONNECTIONS_MAX} connections.`)
    const id = nextConnectionId(organization, others)
    if (input.id !== undefined && input.id !== id) throw otherNext()
    const row = await storeConnection(transaction, {
      id,
      organization_id: organization,
      name,
      issuer,
      client_id,
      default_role: role,
      sealed_secret: sealSecret(settings, id, secret),
    })
    if (row === undefined) throw otherNext()
    return {
      value: viewConnection(settings, row),
      target: { kind: 'sso_connection', id: row.id, label: name },
      changes: { issuer: [null, issuer], client_id: [null, client_id], default_role: [null, role] },
    }
  },
)

function otherNext(): ApiError {
  return new ApiError(
    'conflict',
    'The providers of the organization have changed, so the next one has another redirect URI. ' +
      'Register that one.',
  )
}

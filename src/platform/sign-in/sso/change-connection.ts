import type { SsoConnectionChanges } from '../../../contract/management/sso.ts'
import {
  changeConnection as storeChanges,
  forgetIdentities,
} from '../../../store/sign-in/sso-connections.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { checkIssuer, sealSecret } from './oidc-client.ts'
import { ownConnection } from './own-connection.ts'
import { viewConnection } from './view-connection.ts'

type ChangeInput = SsoConnectionChanges & { readonly id: string }

const FACTS = {
  action: 'sso_connection.change',
  permission: 'sign-in:write',
  confirmed: true,
} as const

export const changeConnection = defineFlow(
  FACTS,
  async ({ environment, access }, input: ChangeInput) => {
    await ownConnection(environment.database, access.organization.id, input.id)
    if (input.issuer !== undefined) await checkIssuer(environment.settings, input.issuer)
    const organization = access.organization.id
    return storeChecked(environment, access.actor, { ...input, organization })
  },
)

const storeChecked = defineChange(
  FACTS,
  async ({ environment, transaction, access }, input: ChangeInput) => {
    const { settings } = environment
    const before = await ownConnection(transaction, access.organization.id, input.id)
    const { name, issuer, client_id, default_role, client_secret: secret } = input
    const row = await storeChanges(transaction, before.id, {
      name: name ?? before.name,
      issuer: issuer ?? before.issuer,
      client_id: client_id ?? before.client_id,
      default_role: default_role ?? before.default_role,
      sealed_secret:
        secret === undefined ? before.sealed_secret : sealSecret(settings, before.id, secret),
    })
    // The subjects of another provider are other people.
    if (row.issuer !== before.issuer) await forgetIdentities(transaction, row.id)
    return {
      value: viewConnection(settings, row),
      target: { kind: 'sso_connection', id: row.id, label: row.name },
      changes: {
        name: [before.name, row.name],
        issuer: [before.issuer, row.issuer],
        client_id: [before.client_id, row.client_id],
        default_role: [before.default_role, row.default_role],
        secret_changed: [false, secret !== undefined],
      },
    }
  },
)

import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { withdrawInvitationsOfKey } from '../../store/people/givers.ts'
import {
  findManagementKeyByHash,
  revokeManagementKey,
  type StoredManagementKey,
} from '../../store/people/management-keys.ts'
import { findScimTokenByHash, revokeScimToken } from '../../store/people/scim-tokens.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { findApiKey, findApiKeyByHash, revokeApiKey } from '../../store/tenants/api-keys.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { hashApiKey, parseApiKey } from '../../tenancy/api-key.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import type { Environment } from '../use-case/environment.ts'
import { countWithdrawn } from '../invitations/giver.ts'
import { KEY_FIELDS, viewKey } from '../keys/view-key.ts'
import type { Origin } from '../sign-in/sessions/prove-password.ts'
import { defineChange, defineFlow, type Change } from '../use-case/use-case.ts'
import { countReport } from './count-report.ts'
import { tellKeyRevoked } from './tell-key-revoked.ts'

/** In the audit log. Who sends a secret is not known, and need not be: having it is enough. */
const HOLDER = 'holder of the secret'
const REASON = 'Its secret was found by somebody else.'

export type LeakedKeyInput = { readonly secret: string; readonly client: Origin }

/**
 * Revokes the key with this secret, whoever sends it: whoever has the secret could use the key, so
 * ending it takes no further right. The answer is the same for every secret, also for one that was
 * revoked before.
 */
export const revokeLeakedKey = defineFlow(
  { action: 'key.revoke', permission: 'anyone' },
  async ({ environment, access }, { secret, client }: LeakedKeyInput) => {
    await countReport(environment, client)
    const { id } = access.actor.request ?? { id: null }
    const request = id === null ? null : { id, idempotency: null }
    const holder: Actor = { kind: 'system', name: HOLDER, request }
    try {
      await revokeBySecret(environment, holder, secret)
    } catch (error) {
      // The revocation is stored, and the worker announces it: an unknown secret cannot fail so.
      if (!(error instanceof ApiError) || error.kind !== 'change_not_propagated') throw error
    }
  },
)

async function revokeBySecret(
  environment: Environment,
  holder: Actor,
  secret: string,
): Promise<void> {
  const { database, settings } = environment
  const prefix = settings.api.key_prefix
  const apiKey = parseApiKey(secret, prefix, 'sk')
  if (apiKey !== undefined) {
    const key = await findApiKeyByHash(database, hashApiKey(apiKey))
    if (key !== undefined) await revokeKey(environment, holder, key)
  }
  const scimToken = parseApiKey(secret, prefix, 'scim')
  if (scimToken !== undefined) {
    const token = await findScimTokenByHash(database, hashApiKey(scimToken))
    if (token !== undefined) await revokeToken(environment, holder, token)
  }
  const managementKey = parseApiKey(secret, prefix, 'mk')
  if (managementKey === undefined) return
  const key = await findManagementKeyByHash(database, hashApiKey(managementKey))
  if (key === undefined) return
  const revoke = key.organization_id === null ? revokePlatformKey : revokeOrganizationKey
  await revoke(environment, holder, key)
}

type KeyReference = { readonly id: string; readonly organization_id: string }

const revokeKey = defineChange(
  { action: 'key.revoke', permission: 'anyone' },
  async ({ environment, transaction }, { id, organization_id: organizationId }: KeyReference) => {
    const { settings } = environment
    await lockOrganization(transaction, organizationId)
    const stored = await findApiKey(transaction, id)
    const revoked = await revokeApiKey(transaction, stored, { reason: REASON })
    const before = viewKey(stored, settings)
    const value = viewKey(revoked.value, settings)
    return {
      value: undefined,
      target: { kind: 'key', id, label: value.name },
      changes: changedFields(before, value, KEY_FIELDS),
      organizationId,
      unchanged: stored.revoked_at !== null,
      raised: revoked.raised,
      afterwards: () => {
        if (stored.revoked_at === null) tellKeyRevoked(environment, stored)
      },
    }
  },
)

const revokeToken = defineChange(
  { action: 'scim_token.revoke', permission: 'anyone' },
  async ({ environment, transaction }, { id, organization_id: organizationId }: KeyReference) => {
    const { repeated, ...token } = await revokeScimToken(transaction, organizationId, id)
    return {
      value: undefined,
      target: { kind: 'scim_token', id, label: token.name },
      changes: { revoked_at: [null, token.revoked_at] },
      organizationId,
      unchanged: repeated,
      afterwards: () => {
        if (!repeated) tellKeyRevoked(environment, token)
      },
    }
  },
)

const revokeOrganizationKey = defineChange(
  { action: 'management_key.revoke', permission: 'anyone' },
  ({ environment, transaction }, key: StoredManagementKey) =>
    endManagementKey(environment, transaction, key),
)

const revokePlatformKey = defineChange(
  { action: 'platform_key.revoke', permission: 'anyone' },
  ({ environment, transaction }, key: StoredManagementKey) =>
    endManagementKey(environment, transaction, key),
)

async function endManagementKey(
  environment: Environment,
  transaction: Transaction<Tables>,
  { id, organization_id: organizationId }: StoredManagementKey,
): Promise<Change<undefined>> {
  const { repeated, ...key } = await revokeManagementKey(transaction, organizationId, id)
  const withdrawn = await withdrawInvitationsOfKey(transaction, key)
  return {
    value: undefined,
    target: { kind: 'management_key', id, label: key.name },
    changes: { revoked_at: [null, key.revoked_at], ...countWithdrawn(withdrawn) },
    ...(organizationId !== null && { organizationId }),
    unchanged: repeated,
    afterwards: () => {
      if (!repeated) tellKeyRevoked(environment, key)
    },
  }
}

import { ApiError } from '../../contract/error.ts'
import type { CreatedScimToken, NewScimToken, ScimToken } from '../../contract/management/scim.ts'
import {
  countScimTokens,
  listScimTokens as readTokens,
  revokeScimToken as storeRevocation,
  SCIM_TOKENS_MAX,
  storeScimToken,
  type StoredScimToken,
} from '../../store/people/scim-tokens.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { createApiKey, displayApiKey } from '../../tenancy/api-key.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import { defineChange, defineRead } from '../use-case/use-case.ts'

const WRITE = { permission: 'sign-in:write', confirmed: true } as const

export const listScimTokens = defineRead(
  { action: 'scim_token.list', permission: 'sign-in:read', confirmed: true },
  async ({ database, access }) => {
    const rows = await readTokens(database, access.organization.id)
    return { data: rows.map(viewScimToken), next: null }
  },
)

/** Creates a token of the organization. The secret is in the result and nowhere else. */
export const createScimToken = defineChange(
  { action: 'scim_token.create', ...WRITE },
  async ({ environment, transaction, access }, { name }: NewScimToken) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    if ((await countScimTokens(transaction, organizationId)) >= SCIM_TOKENS_MAX)
      throw new ApiError('conflict', `An organization has at most ${SCIM_TOKENS_MAX} SCIM tokens.`)
    const token = createApiKey(environment.settings.api.key_prefix, 'scim')
    const createdBy = personOf(access).account.id
    const stored = await storeScimToken(transaction, token, { organizationId, name, createdBy })
    const view = viewScimToken(stored)
    const value: CreatedScimToken = { token, ...view }
    return {
      value,
      target: { kind: 'scim_token', id: view.id, label: view.name },
      changes: { shown_as: [null, view.shown_as] },
    }
  },
)

/** Permanent, at the next call. */
export const revokeScimToken = defineChange(
  { action: 'scim_token.revoke', ...WRITE },
  async ({ transaction, access }, { token: id }: { readonly token: string }) => {
    const { repeated, ...token } = await storeRevocation(transaction, access.organization.id, id)
    return {
      value: undefined,
      target: { kind: 'scim_token', id: token.id, label: token.name },
      changes: { revoked_at: [null, token.revoked_at] },
      unchanged: repeated,
    }
  },
)

function viewScimToken(token: StoredScimToken): ScimToken {
  return {
    id: token.id,
    name: token.name,
    shown_as: displayApiKey(token),
    created_by: token.created_by,
    created_at: token.created_at.toISOString(),
    revoked_at: token.revoked_at?.toISOString() ?? null,
    last_used_at: token.last_used_at?.toISOString() ?? null,
  }
}

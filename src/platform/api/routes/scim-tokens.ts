import { listOf } from '../../../contract/management/schemas.ts'
import {
  CreatedScimToken,
  NewScimToken,
  ScimRoles,
  ScimSettings,
  ScimToken,
} from '../../../contract/management/scim.ts'
import { readScimSettings, setScimRoles } from '../../scim/scim-settings.ts'
import { createScimToken, listScimTokens, revokeScimToken } from '../../scim/tokens.ts'
import { defineRoute, type Route } from '../route.ts'

const TOKENS = '/organizations/{organization}/scim-tokens'
const SETTINGS = '/organizations/{organization}/scim'

export const SCIM_TOKEN_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: TOKENS,
    summary: 'List SCIM tokens, newest first, also those that were revoked.',
    does: listScimTokens,
    status: 200,
    answer: listOf(ScimToken),
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'POST',
    path: TOKENS,
    summary: 'Create a SCIM token for an identity provider. It is shown only in this answer.',
    does: createScimToken,
    body: NewScimToken,
    status: 201,
    answer: CreatedScimToken,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { name: 'Entra ID' } },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${TOKENS}/{token}`,
    summary: 'Revoke a SCIM token permanently, at the next call.',
    does: revokeScimToken,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']!, token: path['token']! }),
  }),
  defineRoute({
    method: 'GET',
    path: SETTINGS,
    summary: 'Show the address of SCIM, and which roles groups of the provider give.',
    does: readScimSettings,
    status: 200,
    answer: ScimSettings,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: SETTINGS,
    summary: 'Set which roles groups of the provider give. It takes effect at the next call.',
    does: setScimRoles,
    body: ScimRoles,
    status: 200,
    answer: ScimSettings,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { roles: [{ group: 'Platform team', role: 'admin' }] } },
  }),
]

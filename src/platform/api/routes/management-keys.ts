import { Type } from 'typebox'
import {
  CreatedManagementKey,
  ManagementKey,
  NewManagementKey,
} from '../../../contract/management/management-key.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { createManagementKey } from '../../management-keys/create-management-key.ts'
import { listManagementKeys } from '../../management-keys/list-management-keys.ts'
import { revokeManagementKey } from '../../management-keys/revoke-management-key.ts'
import { defineRoute, type Route } from '../route.ts'

const KEYS = '/organizations/{organization}/management-keys'

export const MANAGEMENT_KEY_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: KEYS,
    summary: 'List management keys, newest first.',
    does: listManagementKeys,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(ManagementKey),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: KEYS,
    summary: 'Create a management key. The key is shown only in this answer.',
    does: createManagementKey,
    body: NewManagementKey,
    status: 201,
    answer: CreatedManagementKey,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: {
      body: { name: 'reports', scopes: ['usage:read'], expires_at: '2027-06-01T00:00:00Z' },
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${KEYS}/{key}`,
    summary: 'Revoke a management key permanently, at the next call.',
    does: revokeManagementKey,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']!, key: path['key']! }),
  }),
]

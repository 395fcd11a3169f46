import { Type } from 'typebox'
import { ID_PAGE_QUERY } from '../../../../contract/management/operator-account.ts'
import {
  Ledger,
  OperatorOverview,
  Reconciliation,
  ReconciliationsQuery,
} from '../../../../contract/management/operator-ledger.ts'
import {
  CreatedManagementKey,
  ManagementKey,
  NewManagementKey,
} from '../../../../contract/management/management-key.ts'
import { listOf } from '../../../../contract/management/schemas.ts'
import { createPlatformKey } from '../../../operator/keys/create-platform-key.ts'
import { listPlatformKeys } from '../../../operator/keys/list-platform-keys.ts'
import { revokePlatformKey } from '../../../operator/keys/revoke-platform-key.ts'
import { listReconciliations } from '../../../operator/list-reconciliations.ts'
import { showLedger } from '../../../operator/show-ledger.ts'
import { showOverview } from '../../../operator/show-overview.ts'
import { defineRoute, type Route } from '../../route.ts'

const KEYS = '/operator/management-keys'

export const OPERATOR_LEDGER_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/operator/overview',
    summary: 'Show what needs attention: problems, the waiting list, processes and engines.',
    does: showOverview,
    status: 200,
    answer: OperatorOverview,
    input: () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/ledger',
    summary:
      'Show the ledger accounts of the platform and the sum of all accounts, which must be 0.',
    does: showLedger,
    status: 200,
    answer: Ledger,
    input: () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/reconciliations',
    summary: 'List comparisons of usage records with other counts, newest first.',
    does: listReconciliations,
    query: ReconciliationsQuery,
    status: 200,
    answer: listOf(Reconciliation),
    input: ({ query }) => query,
    example: { query: 'differing=true' },
  }),
  defineRoute({
    method: 'GET',
    path: KEYS,
    summary: 'List management keys of the platform, newest first.',
    does: listPlatformKeys,
    query: Type.Object(ID_PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(ManagementKey),
    input: ({ query }) => query,
  }),
  defineRoute({
    method: 'POST',
    path: KEYS,
    summary: 'Create a management key of the platform. The key is shown only in this answer.',
    does: createPlatformKey,
    body: NewManagementKey,
    status: 201,
    answer: CreatedManagementKey,
    secret: true,
    input: ({ body }) => body,
    example: {
      body: { name: 'billing', scopes: ['platform:read'], expires_at: '2027-01-01T00:00:00Z' },
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${KEYS}/{key}`,
    summary: 'Revoke a management key of the platform.',
    does: revokePlatformKey,
    status: 204,
    input: ({ path }) => ({ key: path['key']! }),
  }),
]

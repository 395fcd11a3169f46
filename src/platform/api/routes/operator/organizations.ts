import { Type } from 'typebox'
import { Transfer } from '../../../../contract/management/billing.ts'
import { Member, SentInvitation } from '../../../../contract/management/member.ts'
import { ID_PAGE_QUERY } from '../../../../contract/management/operator-account.ts'
import {
  CreditLimit,
  CreditLimitSet,
  MadeTransfer,
  NewOperatorOrganization,
  NewTransfer,
  OperatorOrganization,
  OrganizationUpdate,
  OrganizationDetail,
  OrganizationPreview,
  OrganizationsQuery,
  OwnerInvitation,
  PlatformAuditEvent,
  PlatformAuditExportQuery,
  PlatformAuditQuery,
} from '../../../../contract/management/operator-organization.ts'
import { Organization, OrganizationDeletion } from '../../../../contract/management/organization.ts'
import { countedListOf, listOf } from '../../../../contract/management/schemas.ts'
import { Usage, UsageSumQuery } from '../../../../contract/management/usage.ts'
import { deleteOrganization } from '../../../deletion/delete-organization.ts'
import { etagOf } from '../../../use-case/etag.ts'
import { exportPlatformEvents } from '../../../operator/export-platform-events.ts'
import { listPlatformEvents } from '../../../operator/list-platform-events.ts'
import {
  listMembersOf,
  listTransfersOf,
  sumUsageOf,
} from '../../../operator/organizations/list-within.ts'
import { inviteOwner } from '../../../operator/organizations/invite-owner.ts'
import { makeTransfer } from '../../../operator/organizations/make-transfer.ts'
import { previewOrganizationChange } from '../../../operator/organizations/preview-change.ts'
import { searchOrganizations } from '../../../operator/organizations/search-organizations.ts'
import { setCreditLimit } from '../../../operator/organizations/set-credit-limit.ts'
import { showOrganization } from '../../../operator/organizations/show-organization.ts'
import { changeOrganization } from '../../../organizations/change-organization.ts'
import { createOrganization } from '../../../organizations/create-organization.ts'
import { liftSsoOnly } from '../../../sign-in/sso/lift-sso-only.ts'
import { viewForOperator } from '../../../organizations/view-for-operator.ts'
import { defineRoute, type Route } from '../../route.ts'
import { createExports } from '../../send-export.ts'
import { withEtag } from '../../with-etag.ts'
import { changesOf } from '../organization-changes.ts'

const ORGANIZATIONS = '/operator/organizations'
const ORGANIZATION = `${ORGANIZATIONS}/{organization}`
const PAGE = Type.Object(ID_PAGE_QUERY, { additionalProperties: false })

export const OPERATOR_ORGANIZATION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: ORGANIZATIONS,
    summary: 'Search organizations by name, slug or id, newest first.',
    does: searchOrganizations,
    query: OrganizationsQuery,
    status: 200,
    answer: countedListOf(OperatorOrganization),
    input: ({ query }) => query,
    example: { query: 'q=acme' },
  }),
  defineRoute({
    method: 'POST',
    path: ORGANIZATIONS,
    summary: 'Create an organization with one project.',
    does: createOrganization,
    body: NewOperatorOrganization,
    status: 201,
    answer: Organization,
    input: ({ body }) => body,
    example: { body: { slug: 'acme', name: 'Acme Ltd' } },
  }),
  defineRoute({
    method: 'GET',
    path: ORGANIZATION,
    summary: 'Show an organization with the limits in force and its balance.',
    does: showOrganization,
    status: 200,
    answer: OrganizationDetail,
    input: ({ path }) => ({ organization: path['organization']! }),
    reply: (value) => ({ body: value, headers: { etag: etagOf(value.organization) } }),
  }),
  defineRoute({
    method: 'PATCH',
    path: ORGANIZATION,
    summary:
      'Change name, plan, billing state or limit overrides of an organization, or suspend it.',
    does: changeOrganization,
    body: OrganizationUpdate,
    status: 200,
    answer: OperatorOrganization,
    input: ({ path, body, client }) => ({
      organization: path['organization']!,
      changes: changesOf(body),
      ifMatch: client.ifMatch,
    }),
    reply: (row) => withEtag(viewForOperator(row)),
    example: { body: { limits: { requests_per_minute: 600 } } },
  }),
  defineRoute({
    method: 'DELETE',
    path: ORGANIZATION,
    summary: 'Delete an organization for good. Ledger, usage and audit log stay under its id.',
    does: deleteOrganization,
    query: OrganizationDeletion,
    status: 204,
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ORGANIZATION}/sso-only`,
    summary: 'Let members sign in without SSO again, when nobody can sign in with it.',
    does: liftSsoOnly,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: `${ORGANIZATION}/credit-limit`,
    summary: 'Set what an organization on a postpaid plan may owe at most.',
    does: setCreditLimit,
    body: CreditLimit,
    status: 200,
    answer: CreditLimitSet,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { credit_limit: { amount: '500.00' }, reason: 'contract 12' } },
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/preview`,
    summary: 'Show what a change would do: limits, models, prices and keys. Changes nothing.',
    does: previewOrganizationChange,
    body: OrganizationUpdate,
    status: 200,
    answer: OrganizationPreview,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { limits: { requests_per_minute: 600 } } },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/members`,
    summary: 'List the active members of an organization.',
    does: listMembersOf,
    query: PAGE,
    status: 200,
    answer: listOf(Member),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/owner-invitations`,
    summary:
      'Invite an owner by email, for 7 days, into an organization that has none; not with a ' +
      'management key. Replaces an invitation that an operator made before, and ends when its ' +
      'operator is none any more.',
    does: inviteOwner,
    body: OwnerInvitation,
    status: 201,
    answer: SentInvitation,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { email: 'jane@example.com' } },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/usage`,
    summary: 'Sums of what an organization used, by day and model.',
    does: sumUsageOf,
    query: UsageSumQuery,
    status: 200,
    answer: Usage,
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
    example: { query: 'by=model' },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/transfers`,
    summary: 'What has changed the balance of an organization, except usage, newest first.',
    does: listTransfersOf,
    query: PAGE,
    status: 200,
    answer: listOf(Transfer),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/transfers`,
    summary: 'Grant money to an organization, or correct its balance.',
    does: makeTransfer,
    body: NewTransfer,
    status: 200,
    answer: MadeTransfer,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: {
      body: {
        kind: 'grant',
        amount: { amount: '100.00' },
        reason: 'invoice paid',
        reference: 'invoice-17',
      },
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/audit-events',
    summary: 'List audit events of the platform and of all organizations, newest first.',
    does: listPlatformEvents,
    query: PlatformAuditQuery,
    status: 200,
    answer: listOf(PlatformAuditEvent),
    input: ({ query }) => query,
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/audit-events/export',
    summary: 'Audit events of the platform and of all organizations as a file.',
    does: exportPlatformEvents,
    query: PlatformAuditExportQuery,
    status: 200,
    contentType: 'application/jsonl',
    input: ({ query }) => query,
    send: createExports(),
  }),
]

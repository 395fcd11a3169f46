import {
  Organization,
  OrganizationChange,
  OrganizationDeletion,
} from '../../../contract/management/organization.ts'
import { deleteOwnOrganization } from '../../deletion/delete-own-organization.ts'
import { renameOrganization } from '../../organizations/rename-organization.ts'
import { showOrganization } from '../../organizations/show-organization.ts'
import { defineRoute, type Route } from '../route.ts'
import { withEtag } from '../with-etag.ts'

const ORGANIZATION = '/organizations/{organization}'

export const ORGANIZATION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: ORGANIZATION,
    summary: 'Show an organization.',
    does: showOrganization,
    status: 200,
    answer: Organization,
    input: ({ path }) => ({ organization: path['organization']! }),
    reply: withEtag,
  }),
  defineRoute({
    method: 'PATCH',
    path: ORGANIZATION,
    summary: 'Change the name of an organization.',
    does: renameOrganization,
    body: OrganizationChange,
    status: 200,
    answer: Organization,
    input: ({ path, body, client }) => ({
      organization: path['organization']!,
      ...body,
      ifMatch: client.ifMatch,
    }),
    reply: withEtag,
    example: { body: { name: 'Acme Ltd' } },
  }),
  defineRoute({
    method: 'DELETE',
    path: ORGANIZATION,
    summary: 'Delete an organization for good. All its keys are refused from the next request on.',
    does: deleteOwnOrganization,
    query: OrganizationDeletion,
    status: 204,
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
]

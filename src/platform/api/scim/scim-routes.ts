import { Type } from 'typebox'
import {
  ScimGroupBody,
  ScimPatch,
  ScimQuery,
  ScimUserBody,
} from '../../../contract/scim/requests.ts'
import type { ScimResource } from '../../../contract/scim/resources.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { createGroup, deleteGroup, patchGroup, replaceGroup } from '../../scim/change-group.ts'
import { deleteUser, patchUser, replaceUser } from '../../scim/change-user.ts'
import { createUser } from '../../scim/create-user.ts'
import {
  listResourceTypes,
  listSchemas,
  refuseOptional,
  showResourceType,
  showSchema,
  showService,
} from '../../scim/describe-scim.ts'
import { getGroup, listGroups } from '../../scim/list-groups.ts'
import { getUser, listUsers } from '../../scim/list-users.ts'
import type { UseCase } from '../../use-case/use-case.ts'
import { defineRoute, type Reply, type Route, type RouteRequest } from '../route.ts'

/** The organization is that of the token: no path names it. */
function within(actor: Actor): { readonly organization: string } {
  return { organization: actor.kind === 'scim_token' ? actor.organizationId : '' }
}

function named({ actor, path }: RouteRequest<unknown, unknown>) {
  return { ...within(actor), id: path['id']! }
}

function created(value: ScimResource): Reply {
  return { body: value, headers: { location: value.meta.location } }
}

/** No session counts here, so there is no origin to ask for. */
const ANYWHERE = { anywhere: true } as const

const USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'jane@example.com',
  externalId: '701984',
  name: { givenName: 'Jane', familyName: 'Doe' },
  active: true,
}

const USER_ROUTES: readonly Route[] = [
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path: '/Users',
    summary: 'List users.',
    does: listUsers,
    query: ScimQuery,
    status: 200,
    input: ({ actor, query }) => ({ ...within(actor), ...query }),
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'POST',
    path: '/Users',
    summary: 'Create a user.',
    does: createUser,
    body: ScimUserBody,
    status: 201,
    input: ({ actor, body }) => ({ ...within(actor), body }),
    reply: created,
    example: { body: USER },
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path: '/Users/{id}',
    summary: 'Show a user.',
    does: getUser,
    query: ScimQuery,
    status: 200,
    input: (request) => ({ ...named(request), query: request.query }),
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'PUT',
    path: '/Users/{id}',
    summary: 'Replace a user.',
    does: replaceUser,
    body: ScimUserBody,
    status: 200,
    input: (request) => ({ ...named(request), body: request.body }),
    example: { body: USER },
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'PATCH',
    path: '/Users/{id}',
    summary: 'Change a user.',
    does: patchUser,
    body: ScimPatch,
    status: 200,
    input: (request) => ({ ...named(request), body: request.body }),
    example: { body: { Operations: [{ op: 'replace', path: 'active', value: false }] } },
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'DELETE',
    path: '/Users/{id}',
    summary: 'Delete a user.',
    does: deleteUser,
    status: 204,
    input: named,
  }),
]

const GROUP_ROUTES: readonly Route[] = [
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path: '/Groups',
    summary: 'List groups.',
    does: listGroups,
    query: ScimQuery,
    status: 200,
    input: ({ actor, query }) => ({ ...within(actor), ...query }),
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'POST',
    path: '/Groups',
    summary: 'Create a group.',
    does: createGroup,
    body: ScimGroupBody,
    status: 201,
    input: ({ actor, body }) => ({ ...within(actor), body }),
    reply: created,
    example: { body: { displayName: 'Platform team' } },
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path: '/Groups/{id}',
    summary: 'Show a group.',
    does: getGroup,
    query: ScimQuery,
    status: 200,
    input: (request) => ({ ...named(request), query: request.query }),
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'PUT',
    path: '/Groups/{id}',
    summary: 'Replace a group.',
    does: replaceGroup,
    body: ScimGroupBody,
    status: 200,
    input: (request) => ({ ...named(request), body: request.body }),
    example: { body: { displayName: 'Platform team' } },
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'PATCH',
    path: '/Groups/{id}',
    summary: 'Change a group.',
    does: patchGroup,
    body: ScimPatch,
    status: 200,
    input: (request) => ({ ...named(request), body: request.body }),
    example: { body: { Operations: [{ op: 'remove', path: 'members' }] } },
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'DELETE',
    path: '/Groups/{id}',
    summary: 'Delete a group.',
    does: deleteGroup,
    status: 204,
    input: named,
  }),
]

type Described = UseCase<{ readonly organization: string }, unknown>

const read = (path: string, summary: string, does: Described): Route =>
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path,
    summary,
    does,
    status: 200,
    input: ({ actor }) => within(actor),
  })

const DISCOVERY_ROUTES: readonly Route[] = [
  read('/ServiceProviderConfig', 'Show what of SCIM is offered.', showService),
  read('/Schemas', 'List schemas.', listSchemas),
  read('/ResourceTypes', 'List kinds of resources.', listResourceTypes),
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path: '/Schemas/{id}',
    summary: 'Show a schema.',
    does: showSchema,
    status: 200,
    input: named,
  }),
  defineRoute({
    ...ANYWHERE,
    method: 'GET',
    path: '/ResourceTypes/{id}',
    summary: 'Show a kind of resource.',
    does: showResourceType,
    status: 200,
    input: named,
  }),
]

/** What need not be there must say so with 501. */
const OPTIONAL_ROUTES: readonly Route[] = [
  read('/Me', 'Not offered.', refuseOptional),
  ...['/.search', '/Bulk'].map((path) =>
    defineRoute({
      ...ANYWHERE,
      method: 'POST',
      path,
      summary: 'Not offered.',
      does: refuseOptional,
      body: Type.Object({}),
      status: 200,
      input: ({ actor }) => within(actor),
    }),
  ),
]

/** SCIM 2.0 below its own root. */
export const SCIM_ROUTES: readonly Route[] = [
  ...USER_ROUTES,
  ...GROUP_ROUTES,
  ...DISCOVERY_ROUTES,
  ...OPTIONAL_ROUTES,
]

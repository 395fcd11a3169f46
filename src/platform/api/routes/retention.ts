import { Type } from 'typebox'
import {
  DestroyedContent,
  KeptContent,
  NewSupportAccess,
  PlaygroundCredential,
  Retention,
  RetentionChange,
  SupportAccess,
} from '../../../contract/management/retention.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { createPlaygroundCredential } from '../../playground/create-credential.ts'
import { changeRetention } from '../../retention/change-retention.ts'
import { destroyContent } from '../../retention/destroy-content.ts'
import { getRetention } from '../../retention/get-retention.ts'
import { listKeptContent } from '../../retention/list-kept-content.ts'
import { endAccess } from '../../support/end-access.ts'
import { grantAccess } from '../../support/grant-access.ts'
import { listSupportAccess } from '../../support/list-access.ts'
import { defineRoute, type Route } from '../route.ts'

const ORGANIZATION = '/organizations/{organization}'
const SUPPORT = `${ORGANIZATION}/support-access`

/** Days, of which many records are counted. */
const KEPT_QUERY = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 31, description: 'Default 31.' })),
    after: PAGE_QUERY.after,
  },
  { additionalProperties: false },
)

export const RETENTION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/retention`,
    summary: 'What is kept of requests, for how long, and under which consent.',
    does: getRetention,
    status: 200,
    answer: Retention,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: `${ORGANIZATION}/retention`,
    summary: 'Change what is kept of requests from now on.',
    does: changeRetention,
    body: RetentionChange,
    status: 200,
    answer: Retention,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { retention: 'zero' } },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/kept-content`,
    summary: 'How many records are kept, by kind and day.',
    does: listKeptContent,
    query: KEPT_QUERY,
    status: 200,
    answer: listOf(KeptContent),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ORGANIZATION}/kept-content`,
    summary: 'Make all kept content unreadable for good, at once.',
    does: destroyContent,
    status: 200,
    answer: DestroyedContent,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: SUPPORT,
    summary: 'Support access that was granted, newest first.',
    does: listSupportAccess,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(SupportAccess),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: SUPPORT,
    summary: 'Let support read this organization for at most 72 hours.',
    does: grantAccess,
    body: NewSupportAccess,
    status: 201,
    answer: SupportAccess,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { hours: 24 } },
  }),
  defineRoute({
    method: 'DELETE',
    path: SUPPORT,
    summary: 'End support access from the next call on.',
    does: endAccess,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/projects/{project}/playground-credentials`,
    summary: 'A credential for the data plane that lasts 5 minutes.',
    does: createPlaygroundCredential,
    status: 201,
    answer: PlaygroundCredential,
    secret: true,
    input: ({ path }) => ({ organization: path['organization']!, project: path['project']! }),
  }),
]

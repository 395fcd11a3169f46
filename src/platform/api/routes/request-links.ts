import {
  CreatedRequestLink,
  LinkedRequest,
  NewRequestLink,
  RequestLink,
  RequestLinksQuery,
  RequestLinkToken,
} from '../../../contract/management/usage.ts'
import { listOf } from '../../../contract/management/schemas.ts'
import { createRequestLink } from '../../request-links/create-link.ts'
import { listRequestLinks } from '../../request-links/list-links.ts'
import { openRequestLink } from '../../request-links/open-link.ts'
import { withdrawRequestLink } from '../../request-links/withdraw-link.ts'
import { defineRoute, type Route } from '../route.ts'

const ORGANIZATION = '/organizations/{organization}'
const TOKEN = 'rW0f5m0c1Gk6hJ7oX3yq2uT8vZ4sB9nD5eL1aP6iQ0M'

export const REQUEST_LINK_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/requests/{request}/links`,
    summary:
      'Make a link that shows the explanation of a request to whoever has it, without signing ' +
      'in. Members link their own requests. The link ends when its maker may no longer make it.',
    does: createRequestLink,
    body: NewRequestLink,
    status: 201,
    answer: CreatedRequestLink,
    secret: true,
    input: ({ path, body }) => ({
      organization: path['organization']!,
      request: path['request']!,
      ...body,
    }),
    example: { body: { days: 7 } },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/request-links`,
    summary: 'List links to requests that work, newest first. Members see those that they made.',
    does: listRequestLinks,
    query: RequestLinksQuery,
    status: 200,
    answer: listOf(RequestLink),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ORGANIZATION}/request-links/{link}`,
    summary: 'Withdraw a link to a request. Members withdraw those that they made.',
    does: withdrawRequestLink,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']!, link: path['link']! }),
  }),
  defineRoute({
    method: 'POST',
    path: '/request-links/open',
    summary: 'Show the request of a link, with the token of the link. No content, no names.',
    does: openRequestLink,
    body: RequestLinkToken,
    status: 200,
    answer: LinkedRequest,
    input: ({ body, client }) => ({ ...body, client }),
    example: { body: { token: TOKEN } },
  }),
]

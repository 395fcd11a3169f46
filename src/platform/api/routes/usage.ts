import { RequestsQuery } from '../../../contract/management/requests-query.ts'
import { Type } from 'typebox'
import {
  ExportQuery,
  LiveLimits,
  OperatorRequest,
  RequestDetail,
  RequestList,
  RequestMinute,
  Usage,
  UsageQuery,
} from '../../../contract/management/usage.ts'
import { compareRequest } from '../../usage/compare-request.ts'
import { explainRequest, showRequest } from '../../usage/explain-request.ts'
import { exportUsage } from '../../usage/export-usage.ts'
import { listRequests } from '../../usage/list-requests.ts'
import { readLimits } from '../../usage/read-limits.ts'
import { readUsage } from '../../usage/read-usage.ts'
import { watchLimits } from '../../usage/watch-limits.ts'
import { defineRoute, type Route } from '../route.ts'
import { createExports } from '../send-export.ts'
import { createLimitsEvents } from '../send-limits-events.ts'

const ORGANIZATION = '/organizations/{organization}'

export const USAGE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/usage`,
    summary: 'Sum usage by none, one or two groups. Members see their own.',
    does: readUsage,
    query: UsageQuery,
    status: 200,
    answer: Usage,
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
    example: { query: 'by=day&by=model' },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/usage/export`,
    summary: 'Download usage records, newest first, as JSON, CSV or CloudEvents.',
    does: exportUsage,
    query: ExportQuery,
    status: 200,
    contentType: 'text/csv',
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
    send: createExports(),
    example: { query: 'format=csv' },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/requests`,
    summary: 'List requests, newest first. Members see their own.',
    does: listRequests,
    query: RequestsQuery,
    status: 200,
    answer: RequestList,
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/requests/{request}`,
    summary: 'Explain what became of a request and what it cost.',
    does: showRequest,
    status: 200,
    answer: RequestDetail,
    input: ({ path }) => ({ organization: path['organization']!, id: path['request']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/requests/{request}/minute`,
    summary: 'Compare a request with those that began in the same minute. Members see their own.',
    does: compareRequest,
    status: 200,
    answer: RequestMinute,
    input: ({ path }) => ({ organization: path['organization']!, id: path['request']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/limits`,
    summary: 'Show what is left of the limits now.',
    does: readLimits,
    status: 200,
    answer: LiveLimits,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/limits/events`,
    summary: 'Follow the limits: an event at most every second, when something changed.',
    does: watchLimits,
    status: 200,
    contentType: 'text/event-stream',
    input: ({ path }) => ({ organization: path['organization']! }),
    send: createLimitsEvents(),
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/requests/{request}',
    summary: 'Explain a request of any organization, with what served it.',
    does: explainRequest,
    query: Type.Object(
      {
        organization: Type.Optional(
          Type.String({ maxLength: 100, description: 'Needed to find a refused request.' }),
        ),
      },
      { additionalProperties: false },
    ),
    status: 200,
    answer: OperatorRequest,
    input: ({ path, query }) => ({ id: path['request']!, ...query }),
  }),
]

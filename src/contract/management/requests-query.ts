import { Type, type Static } from 'typebox'
import { PAGE_QUERY } from './schemas.ts'
import { FILTERS, PERIOD } from './usage.ts'

/** What the list of requests is narrowed by. */
export const RequestsQuery = Type.Object(
  {
    ...PAGE_QUERY,
    ...PERIOD,
    ...FILTERS,
    outcome: Type.Optional(
      Type.Enum(['completed', 'failed', 'abandoned', 'lost', 'refused'], {
        description: '`refused` lists requests of the last week that were refused at once.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['cost', 'duration'], {
        description:
          'The highest first, on one page, instead of the newest: of the newest 2,000 requests. ' +
          'Not for refused ones.',
      }),
    ),
    status: Type.Optional(
      Type.Integer({
        minimum: 400,
        maximum: 599,
        description: 'The status of the answer. Only refused requests have one: use it with these.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RequestsQuery = Static<typeof RequestsQuery>

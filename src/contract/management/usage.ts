import { Type, type Static } from 'typebox'
import { Id, listOf, Money, nullable, PAGE_QUERY, Time } from './schemas.ts'

const UTC = Type.String({
  maxLength: 24,
  description: 'A day or a time in UTC: 2026-05-01 or 2026-05-01T08:00Z.',
})
const Count = Type.Integer({ minimum: 0 })
const Milliseconds = nullable(Type.Integer({ minimum: 0 }))
const Model = Type.String({ minLength: 1, maxLength: 256 })

export const FILTERS = {
  project: Type.Optional(Id),
  key: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'An API key, or an account: what it used in the playground.',
    }),
  ),
  member: Type.Optional(Id),
  model: Type.Optional(Model),
}

export const PERIOD = {
  from: Type.Optional(UTC),
  to: Type.Optional(UTC),
}

export const UsageQuery = Type.Object(
  {
    ...PERIOD,
    by: Type.Optional(
      Type.Array(Type.Enum(['day', 'hour', 'model', 'project', 'key', 'member']), {
        maxItems: 2,
        description: 'None, one or two groups; repeat the parameter for two.',
      }),
    ),
    ...FILTERS,
  },
  { additionalProperties: false },
)
export type UsageQuery = Static<typeof UsageQuery>

/** What operators see of any organization: no project, key or member. */
export const UsageSumQuery = Type.Object(
  {
    ...PERIOD,
    by: Type.Optional(
      Type.Array(Type.Enum(['day', 'model']), {
        maxItems: 2,
        description: 'None, one or two groups; repeat the parameter for two.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type UsageSumQuery = Static<typeof UsageSumQuery>

const Named = Type.Object({ id: Id, name: nullable(Type.String()) })
const UsedKey = Type.Object({
  id: Id,
  kind: nullable(Type.Enum(['api_key', 'playground'])),
  name: nullable(Type.String({ description: 'Of the key, or of the account.' })),
})

const Tokens = {
  prompt_tokens: Count,
  cached_tokens: Count,
  completion_tokens: Count,
  reasoning_tokens: Count,
}

export const UsageGroup = Type.Object({
  day: Type.Optional(Type.String()),
  hour: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  project: Type.Optional(Named),
  key: Type.Optional(UsedKey),
  member: Type.Optional(
    Type.Union([Named, Type.Null()], { description: 'Null: keys that no member owns.' }),
  ),
  requests: Count,
  failed: Type.Union([Count, Type.Null()], {
    description: 'Requests that did not complete. Null: some were made before these were counted.',
  }),
  ...Tokens,
  cost: Money,
})
export type UsageGroup = Static<typeof UsageGroup>

export const Usage = Type.Object(
  {
    from: Time,
    to: Time,
    posted_up_to: Type.Union([Time, Type.Null()], {
      description: 'Usage that was settled before this time is in the sums. Null: not known now.',
    }),
    data: Type.Array(UsageGroup),
  },
  { $id: 'Usage', description: 'Sums in the order of the groups that were asked for.' },
)
export type Usage = Static<typeof Usage>

export const ExportQuery = Type.Object(
  {
    ...PERIOD,
    format: Type.Optional(
      Type.Enum(['json', 'csv', 'cloudevents'], { description: 'Default json.' }),
    ),
    ...FILTERS,
  },
  { additionalProperties: false },
)
export type ExportQuery = Static<typeof ExportQuery>

const CostLine = Type.Object({
  of: Type.Enum(['input', 'cached_input', 'output']),
  tokens: Count,
  price_per_million: Money,
  exact: Type.String({ description: 'Tokens times price, in units of the currency.' }),
})

const SUMMARY = {
  id: Id,
  made_at: Time,
  outcome: Type.Enum(['completed', 'failed', 'abandoned', 'lost', 'refused']),
  project: Named,
  key: UsedKey,
  member: nullable(Id),
  model: nullable(Type.String()),
  error: nullable(
    Type.Object({
      status: Type.Integer(),
      code: Type.String(),
      param: nullable(Type.String()),
      limits: Type.Array(Type.String({ description: 'The limits that were exceeded.' })),
      checked: Type.Array(
        Type.Object({ limit: Type.String(), needed: Count, left: Count, of: Count }),
        { description: 'All limits, of which at least one refused the request.' },
      ),
      retry_after_ms: Milliseconds,
    }),
  ),
  tokens: nullable(Type.Object({ ...Tokens, basis: Type.String() })),
  cost: nullable(Money),
  first_token_ms: Milliseconds,
  duration_ms: Milliseconds,
}

export const RequestSummary = Type.Object(SUMMARY, { $id: 'RequestSummary' })
export type RequestSummary = Static<typeof RequestSummary>

export const RequestList = Type.Object({
  ...listOf(RequestSummary).properties,
  more: Type.Integer({
    minimum: 0,
    description: 'Further refusals that were only counted, because there were too many at once.',
  }),
})
export type RequestList = Static<typeof RequestList>

export const RequestDetail = Type.Object(
  {
    ...SUMMARY,
    calculation: nullable(
      Type.Object({
        lines: Type.Array(CostLine),
        exact: Type.String({ description: 'Their sum; the cost is rounded down.' }),
        reserved: nullable(Money),
      }),
    ),
    retention: nullable(Type.Enum(['zero', 'standard', 'contributor'])),
    queued_ms: Milliseconds,
    settled_at: nullable(Time),
    trace_url: Type.Union([Type.String(), Type.Null()], {
      description:
        'Where its trace is, if it was traced. For operators, if `tracing.link` is set; else null.',
    }),
  },
  { $id: 'RequestDetail' },
)
export type RequestDetail = Static<typeof RequestDetail>

const Median = nullable(Type.Number({ minimum: 0 }))

export const RequestMinute = Type.Object(
  {
    from: Time,
    to: Time,
    requests: Type.Integer({ minimum: 0, description: 'That began in this minute: 500 at most.' }),
    more: Type.Boolean({ description: 'There were more; these are the newest of the minute.' }),
    unfinished: Type.Integer({ minimum: 0, description: 'Of these, did not complete.' }),
    refused: Type.Union([Count, Type.Null()], { description: 'Null: not known.' }),
    same_model: nullable(
      Type.Object(
        { requests: Count, queued_ms: Median, first_token_ms: Median, duration_ms: Median },
        { description: 'Medians of the completed requests with the same model.' },
      ),
    ),
  },
  { $id: 'RequestMinute', description: 'The minute in which a request began.' },
)
export type RequestMinute = Static<typeof RequestMinute>

/** What whoever has a link to a request sees: nothing that names people, projects or keys. */
export const LinkedRequest = Type.Object(
  {
    ...Type.Omit(RequestDetail, ['project', 'key', 'member', 'trace_url']).properties,
    organization: Type.String({ description: 'The name of the organization.' }),
    key: Type.Object({
      kind: nullable(Type.Enum(['api_key', 'playground'])),
      last4: nullable(Type.String({ description: 'The last four characters of the API key.' })),
    }),
    link_ends_at: Time,
  },
  { $id: 'LinkedRequest' },
)
export type LinkedRequest = Static<typeof LinkedRequest>

export const NewRequestLink = Type.Object(
  { days: Type.Optional(Type.Enum([1, 7, 30], { description: 'How long it works. Default 7.' })) },
  { $id: 'NewRequestLink', additionalProperties: false },
)
export type NewRequestLink = Static<typeof NewRequestLink>

export const RequestLink = Type.Object(
  { id: Id, request: Id, created_by: Id, created_at: Time, ends_at: Time },
  { $id: 'RequestLink' },
)
export type RequestLink = Static<typeof RequestLink>

export const CreatedRequestLink = Type.Object(
  {
    ...RequestLink.properties,
    link: Type.String({ description: 'Shown once: only a hash of it is stored.' }),
  },
  { $id: 'CreatedRequestLink' },
)
export type CreatedRequestLink = Static<typeof CreatedRequestLink>

export const RequestLinksQuery = Type.Object(
  { ...PAGE_QUERY, request: Type.Optional(Id) },
  { additionalProperties: false },
)
export type RequestLinksQuery = Static<typeof RequestLinksQuery>

export const RequestLinkToken = Type.Object(
  { token: Type.String({ maxLength: 100, description: 'From the fragment of the link.' }) },
  { $id: 'RequestLinkToken', additionalProperties: false },
)
export type RequestLinkToken = Static<typeof RequestLinkToken>

export const OperatorRequest = Type.Object(
  {
    ...RequestDetail.properties,
    organization: Id,
    engine: nullable(Type.String()),
    attempts: nullable(Type.Integer({ description: 'Engines that were tried.' })),
    process: nullable(Type.String()),
  },
  { $id: 'OperatorRequest' },
)
export type OperatorRequest = Static<typeof OperatorRequest>

const Meter = Type.Object({
  limit: Count,
  remaining: Count,
  reset_ms: Type.Integer({ minimum: 0, description: 'Until all of it is available again.' }),
})

export const LiveLimits = Type.Object(
  {
    at: Time,
    requests_per_minute: Meter,
    requests_per_day: Meter,
    tokens_per_minute: Meter,
    tokens_per_day: Meter,
    running: Type.Integer({ minimum: 0, description: 'Running requests.' }),
    concurrent_requests: nullable(
      Type.Integer({ description: 'The most requests that may run at once; null: any number.' }),
    ),
    concurrent_requests_per_key: nullable(
      Type.Integer({ description: 'The most of one key; null: any number.' }),
    ),
    concurrent_requests_per_model: Type.Record(Type.String(), Type.Integer(), {
      description: 'The most for a model, by model id; others have no limit of their own.',
    }),
    balance: Type.Union([Money, Type.Null()], {
      description: 'Null if nothing is charged, or the caller may not see it.',
    }),
    reserved: nullable(Money),
  },
  { $id: 'LiveLimits', description: 'What the rate-limit headers would say now.' },
)
export type LiveLimits = Static<typeof LiveLimits>

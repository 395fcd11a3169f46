import { Type, type Static } from 'typebox'
import { Addresses, Id, KeyCount, Money, nullable, Time } from './schemas.ts'

const Billing = Type.Enum(['none', 'prepaid', 'postpaid'])

const Prices = Type.Object(
  { input: Money, cached_input: Money, output: Money },
  { description: 'Per million tokens.' },
)

const ModelAvailability = Type.Object(
  {
    state: Type.Enum(['available', 'short', 'unavailable', 'unknown'], {
      description:
        'From the states of its engines. Short: requests wait for a free slot, or less than half ' +
        'of its slots can be used. Unknown: no API process tells of its engines at the moment.',
    }),
    since: Type.Union([Time, Type.Null()], {
      description: 'Since when it is unavailable; null if that is not known.',
    }),
  },
  { $id: 'ModelAvailability' },
)
export type ModelAvailability = Static<typeof ModelAvailability>

const Known = Type.Union([Type.Boolean(), Type.Null()])

const ModelCapabilities = Type.Object(
  { tool_choice: Known, json_schema: Known, reasoning: Known },
  {
    $id: 'ModelCapabilities',
    description:
      'What its engines declare or were found to do: make a call that `tool_choice` forces, ' +
      'follow a JSON schema in `response_format`, and separate reasoning from the answer. ' +
      'Null: not known.',
  },
)
export type ModelCapabilities = Static<typeof ModelCapabilities>

const PlanModel = Type.Object(
  {
    id: Type.String(),
    owned_by: Type.String(),
    context_length: nullable(Type.Integer()),
    max_output_tokens: nullable(Type.Integer()),
    default_output_tokens: Type.Integer({
      description: 'Output limit of requests that set none.',
    }),
    shutdown_date: Type.Union([Type.String(), Type.Null()], {
      description: 'First UTC day on which the model is unavailable.',
    }),
    availability: ModelAvailability,
    capabilities: ModelCapabilities,
    reasoning_efforts: Type.Array(Type.String()),
    prices: Type.Union([Prices, Type.Null()], { description: 'Null: free of charge.' }),
  },
  { $id: 'PlanModel' },
)

export const PlanModels = Type.Object(
  {
    plan: Type.String(),
    billing: nullable(Billing),
    data: Type.Array(PlanModel),
  },
  { $id: 'PlanModels' },
)
export type PlanModels = Static<typeof PlanModels>

const Totals = Type.Object({
  requests: Type.Integer(),
  prompt_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  cost: Money,
})
export type Totals = Static<typeof Totals>

export const Balance = Type.Object(
  {
    billing: nullable(Billing),
    billing_state: Type.Enum(['ok', 'exhausted', 'conflict']),
    granted: Money,
    spent: Money,
    balance: Money,
    reserved: Type.Union([Money, Type.Null()], {
      description: 'Held now by running requests; null if it is not known at the moment.',
    }),
    available: Type.Union([Money, Type.Null()], {
      description:
        'What a new request may cost, if that is limited: the balance, or what is left of the ' +
        'credit limit, less what is held.',
    }),
    credit_limit: Type.Union([Money, Type.Null()], {
      description: 'Null unless the plan is postpaid and the operator set one.',
    }),
    credit_used: Type.Union([Money, Type.Null()], {
      description:
        'Unpaid invoices and usage that was not billed yet, less grants; null without a limit.',
    }),
    spent_this_month: Money,
    forecast: Type.Object(
      { month: Money, from_days: Type.Integer() },
      { description: 'A forecast, not a bill: this month plus the average of the last days.' },
    ),
    funding_help: nullable(Type.String()),
  },
  { $id: 'Balance' },
)
export type Balance = Static<typeof Balance>

export const Transfer = Type.Object(
  {
    id: Id,
    kind: Type.Enum([
      'grant',
      'adjustment',
      'payment',
      'refund',
      'dispute',
      'expiry',
      'voucher',
      'invoice',
      'usage',
    ]),
    amount: Money,
    reference: Type.String(),
    reason: nullable(Type.String()),
    made_by: nullable(Type.String()),
    made_at: Time,
  },
  { $id: 'Transfer' },
)
export type Transfer = Static<typeof Transfer>

const Credit = Type.Object(
  {
    id: Id,
    amount: Money,
    remaining: Money,
    granted_at: Time,
    expires_at: Time,
  },
  { $id: 'Credit', description: 'Money that expires: the id is that of its transfer.' },
)

export const Credits = Type.Object(
  {
    data: Type.Array(Credit, { description: 'In the order in which usage takes from them.' }),
    rest: Money,
  },
  {
    $id: 'Credits',
    description:
      'What remains of all credits and the rest, which does not expire, are the balance. A rest ' +
      'below 0: more was used than there was.',
  },
)
export type Credits = Static<typeof Credits>

const Limits = Type.Object({
  requests_per_minute: Type.Integer(),
  requests_per_day: Type.Integer(),
  tokens_per_minute: Type.Integer(),
  tokens_per_day: Type.Integer(),
})

const ModelSpeed = Type.Object({
  model: Type.String(),
  first_token_ms: nullable(Type.Integer()),
  tokens_per_second: nullable(Type.Number()),
})

export const Overview = Type.Object(
  {
    organization: Type.Object({ id: Id, slug: Type.String(), name: Type.String() }),
    plan: Type.Object({
      name: Type.String(),
      offered: Type.Boolean({ description: 'False if the operator no longer offers it.' }),
      billing: nullable(Billing),
      limits: nullable(Limits),
      overridden: Type.Array(Type.String(), {
        description: 'Limits that were set for this organization alone.',
      }),
      models: Type.Integer(),
    }),
    models: Type.Array(Type.Object({ id: Type.String(), availability: ModelAvailability }), {
      description: 'Models of the plan, and whether they answer now.',
    }),
    keys: Type.Union([KeyCount, Type.Null()], {
      description: 'Keys that were not revoked; of a member, their own.',
    }),
    usage: Type.Union([Type.Object({ today: Totals, this_month: Totals }), Type.Null()], {
      description: 'Of the whole organization, as posted; null if you may not see it.',
    }),
    speed: Type.Union([Type.Array(ModelSpeed), Type.Null()], {
      description: 'Medians of the newest requests of the last 24 hours; null as for `usage`.',
    }),
    balance: Type.Union([Balance, Type.Null()], { description: 'Null if you may not see it.' }),
  },
  { $id: 'Overview' },
)
export type Overview = Static<typeof Overview>

export const BillingContacts = Type.Object(
  {
    emails: Type.Unsafe<string[]>({
      ...Addresses,
      description: 'Who gets emails about money instead of the owners. None: the owners get them.',
    }),
  },
  { $id: 'BillingContacts', additionalProperties: false },
)
export type BillingContacts = Static<typeof BillingContacts>

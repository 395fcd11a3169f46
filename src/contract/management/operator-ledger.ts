import { Type, type Static } from 'typebox'
import { Traffic } from './operator-system.ts'
import { Id, Money, nullable, PAGE_QUERY, Time } from './schemas.ts'

// The platform's ledger, its reconciliations, and the overview of operators.

const total = nullable(Money)

export const Ledger = Type.Object(
  {
    accounts: Type.Array(
      Type.Object({
        id: Type.Enum([
          'adjustments',
          'fees',
          'grants',
          'losses',
          'provider:stripe',
          'refunds_pending',
          'revenue',
          'tax',
          'vouchers',
        ]),
        debits: Money,
        credits: Money,
        balance: Type.Unsafe<Money>({ ...Money, description: 'Credits less debits.' }),
      }),
    ),
    sum: Type.Union([Money, Type.Null()], {
      description: 'Of all accounts; must be 0. Null until the worker has added them up.',
    }),
    summed_at: nullable(Time),
    provider: Type.Union(
      [
        Type.Object({
          compared_until: Type.String({ format: 'date', description: 'The last UTC day.' }),
          theirs: Type.Unsafe<Money>({
            ...Money,
            description: 'What the provider took in for us until then, less what it took.',
          }),
          ours: Type.Unsafe<Money>({ ...Money, description: 'What our entries say of it.' }),
          not_compared: Type.Unsafe<Money>({
            ...Money,
            description: 'The rest of what the account `provider:stripe` says.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'Null until a day was compared with the books of the payment provider.' },
    ),
  },
  { $id: 'Ledger' },
)
export type Ledger = Static<typeof Ledger>

const Counted = Type.Object({
  records: nullable(Type.Integer()),
  prompt_tokens: nullable(Type.Integer()),
  completion_tokens: Type.Integer(),
})

export const Reconciliation = Type.Object(
  {
    hour: Time,
    source: Type.Enum(['engine', 'usage_log']),
    name: Type.String({ description: 'Engine, partition of the usage log, or `all`.' }),
    ledger: Counted,
    counted: Counted,
    difference: Type.Integer({ description: 'The largest of any field; 0 if all are equal.' }),
    checked_at: Time,
  },
  { $id: 'Reconciliation' },
)
export type Reconciliation = Static<typeof Reconciliation>

export const ReconciliationsQuery = Type.Object(
  {
    ...PAGE_QUERY,
    after: Type.Optional(Type.String({ maxLength: 400, description: 'The `next` of a page.' })),
    differing: Type.Optional(Type.Boolean({ description: 'Only those with a difference.' })),
  },
  { additionalProperties: false },
)
export type ReconciliationsQuery = Static<typeof ReconciliationsQuery>

const Count = Type.Object({
  count: Type.Integer(),
  more: Type.Boolean({ description: 'There are more than `count`.' }),
})

/** What an operator should look at. */
const PROBLEMS = [
  'usage_log_unreachable',
  'usage_not_posted',
  'usage_rejected',
  'ledger_unbalanced',
  'reconciliation_differs',
  'process_unreachable',
  'configuration_differs',
  'engine_unhealthy',
  'engine_incapable',
] as const

export const OperatorOverview = Type.Object(
  {
    problems: Type.Array(Type.Enum([...PROBLEMS])),
    waiting: Count,
    organizations: Count,
    without_organization: Type.Object(
      {
        count: Type.Integer(),
        newest: Type.Array(Type.Object({ id: Id, email: Type.String() }), {
          description: 'At most 5.',
        }),
      },
      { description: 'Active accounts in no organization, among the newest 1,000 active ones.' },
    ),
    usage: Type.Union(
      [
        Type.Object({
          running: Type.Integer({ description: 'Requests that are not settled.' }),
          unposted: Type.Integer({ description: 'Settled, and not in the ledger yet.' }),
          oldest_unposted_at: nullable(Time),
          rejected: Type.Integer({ description: 'Records that could not be posted.' }),
        }),
        Type.Null(),
      ],
      { description: 'Null if Valkey cannot be asked.' },
    ),
    ledger_sum: total,
    reconciliation: Type.Object({
      checked_at: nullable(Time),
      differences: Type.Array(Reconciliation, { description: 'Of the last 24 hours, at most 10.' }),
    }),
    processes: Type.Object({
      total: Type.Integer(),
      unreachable: Type.Array(Type.String()),
      differing: Type.Array(Type.String()),
    }),
    traffic: Type.Union(
      [
        Type.Object({
          ...Traffic.properties,
          processes: Type.Integer({ description: 'How many processes told of theirs.' }),
        }),
        Type.Null(),
      ],
      { description: 'Since each process started. Null if no process told.' },
    ),
    engines: Type.Object({
      known: Type.Boolean({
        description: 'Whether a process told of its engines. If not, the rest says nothing.',
      }),
      slots: Type.Integer(),
      slots_in_use: Type.Integer(),
      unhealthy: Type.Array(Type.Object({ process: Type.String(), engine: Type.String() })),
      incapable: Type.Array(
        Type.Object({ engine: Type.String(), missing: Type.Array(Type.String()) }),
      ),
    }),
  },
  { $id: 'OperatorOverview' },
)
export type OperatorOverview = Static<typeof OperatorOverview>

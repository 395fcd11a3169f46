import { Type, type Static } from 'typebox'
import { AMOUNT_DUE, STATEMENT_STATES } from '../payments/invoice.ts'
import { Money, nullable, Time } from './schemas.ts'

export const Statement = Type.Object(
  {
    month: Type.String({ description: 'The UTC month, as 2026-10.' }),
    requests: Type.Integer(),
    prompt_tokens: Type.Integer(),
    cached_tokens: Type.Integer({ description: 'Part of the prompt tokens.' }),
    completion_tokens: Type.Integer(),
    reasoning_tokens: Type.Integer({ description: 'Part of the completion tokens.' }),
    cost: Money,
    issued_at: Time,
    state: Type.Enum([...STATEMENT_STATES], {
      description:
        'closed: nothing is asked for, it is for information. issued, overdue: an invoice that ' +
        'is not paid. paid, void, written_off: one that is over.',
    }),
    ...AMOUNT_DUE,
    stops_at: nullable(
      Type.Unsafe<string>({ ...Time, description: 'When requests are refused if it is unpaid.' }),
    ),
    url: nullable(Type.String({ description: 'Where it can be paid, for owners and admins.' })),
  },
  { $id: 'Statement' },
)
export type Statement = Static<typeof Statement>

export const Statements = Type.Object({ data: Type.Array(Statement) }, { $id: 'Statements' })
export type Statements = Static<typeof Statements>

export const StatementQuery = Type.Object(
  { format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'Default json.' })) },
  { additionalProperties: false },
)
export type StatementQuery = Static<typeof StatementQuery>

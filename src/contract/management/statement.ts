import { Type, type Static } from 'typebox'
import { Money, Time } from './schemas.ts'

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

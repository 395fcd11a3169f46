import { Type, type Static } from 'typebox'
import { Id, nullable, PAGE_QUERY, Time } from './schemas.ts'

export const AuditEvent = Type.Object(
  {
    id: Id,
    made_at: Time,
    actor: Type.Object({
      kind: Type.String({
        description:
          'person, management_key, operator_shell, system, or support: somebody of the platform.',
      }),
      id: nullable(Type.String()),
      label: Type.String({ description: 'An email address or a name, as it was then.' }),
    }),
    action: Type.String({ description: 'What was done, such as key.create.' }),
    target: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      label: nullable(Type.String()),
    }),
    changes: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
      description: 'Field: value before and after. Never a secret.',
    }),
    hidden: Type.Boolean({
      description:
        'Whether the changes and the name of the target are left out, because the reader may not ' +
        'read things of this kind.',
    }),
    request_id: nullable(Type.String()),
  },
  { $id: 'AuditEvent' },
)
export type AuditEvent = Static<typeof AuditEvent>

const FILTERS = {
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 320,
      description: 'Id of an account or key, or name of a system user.',
    }),
  ),
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  without_action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'An action that is left out.' }),
  ),
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 320, description: 'Id of what was changed.' }),
  ),
  actor_kind: Type.Optional(
    Type.Enum(['person', 'management_key', 'scim_token', 'operator_shell', 'system', 'support']),
  ),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Inclusive.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive.' })),
} as const

export const AuditQuery = Type.Object(
  { ...PAGE_QUERY, ...FILTERS },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditExportQuery = Type.Object(
  {
    ...FILTERS,
    format: Type.Optional(
      Type.Enum(['csv', 'jsonl'], { description: 'CSV, or one JSON object per line (default).' }),
    ),
  },
  { additionalProperties: false },
)
export type AuditExportQuery = Static<typeof AuditExportQuery>

import { Type, type Static } from 'typebox'
import { Id, name, nullable, Time } from './schemas.ts'

const RETENTION = Type.Enum(['zero', 'standard', 'contributor'])

export const Retention = Type.Object(
  {
    retention: RETENTION,
    in_force: Type.Enum(['zero', 'standard', 'contributor'], {
      description: '`zero` if the operator keeps no content at all.',
    }),
    standard_days: Type.Integer(),
    contributor_days: Type.Integer(),
    contributor_terms: Type.Union(
      [Type.Object({ version: Type.String(), url: Type.String() }), Type.Null()],
      { description: 'The terms to accept for `contributor`; null: it is not offered.' },
    ),
    consent: nullable(Type.Object({ version: Type.String(), accepted_at: Time, accepted_by: Id })),
  },
  { $id: 'Retention' },
)
export type Retention = Static<typeof Retention>

export const RetentionChange = Type.Object(
  {
    retention: RETENTION,
    terms_version: Type.Optional(
      name(100, 'Version of the terms that you have read; required for `contributor`.'),
    ),
  },
  { $id: 'RetentionChange', additionalProperties: false },
)
export type RetentionChange = Static<typeof RetentionChange>

export const KeptContent = Type.Object(
  {
    retention: Type.Enum(['standard', 'contributor']),
    day: Type.String({ description: 'UTC day, YYYY-MM-DD.' }),
    records: Type.Integer(),
    more: Type.Boolean({ description: 'There are at least `records`; not all were counted.' }),
  },
  { $id: 'KeptContent' },
)
export type KeptContent = Static<typeof KeptContent>

export const DestroyedContent = Type.Object(
  { destroyed_keys: Type.Integer({ description: 'One for each kind and day.' }) },
  { $id: 'DestroyedContent' },
)

export const SupportAccess = Type.Object(
  {
    id: Id,
    granted_by: Id,
    reason: nullable(Type.String()),
    created_at: Time,
    ends_at: Time,
    ended_at: nullable(Time),
    active: Type.Boolean(),
  },
  { $id: 'SupportAccess' },
)
export type SupportAccess = Static<typeof SupportAccess>

export const NewSupportAccess = Type.Object(
  {
    hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 72, description: 'Default 24.' })),
    reason: Type.Optional(nullable(name(200, 'Shown to support and in the audit log.'))),
  },
  { $id: 'NewSupportAccess', additionalProperties: false },
)
export type NewSupportAccess = Static<typeof NewSupportAccess>

export const PlaygroundCredential = Type.Object(
  {
    credential: Type.String({ description: 'For the data plane. Shown only in this answer.' }),
    expires_at: Time,
  },
  { $id: 'PlaygroundCredential' },
)
export type PlaygroundCredential = Static<typeof PlaygroundCredential>

import { Type, type Static } from 'typebox'
import { Id, name, nullable, Time } from './schemas.ts'

export const ManagementKey = Type.Object(
  {
    id: Id,
    name: Type.String(),
    shown_as: Type.String({ description: 'Beginning and end; never the secret.' }),
    scopes: Type.Array(Type.String()),
    created_by: Type.String({
      format: 'uuid',
      description: 'The key works only as long as this person has the right.',
    }),
    created_at: Time,
    expires_at: Time,
    revoked_at: nullable(Time),
    last_used_at: nullable(Time),
  },
  { $id: 'ManagementKey' },
)
export type ManagementKey = Static<typeof ManagementKey>

export const CreatedManagementKey = Type.Object(
  {
    key: Type.String({ description: 'The whole key. It is shown only once.' }),
    ...ManagementKey.properties,
  },
  { $id: 'CreatedManagementKey' },
)
export type CreatedManagementKey = Static<typeof CreatedManagementKey>

export const NewManagementKey = Type.Object(
  {
    name: name(100, 'Shown in lists and in the audit log.'),
    scopes: Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Such as `keys:read`; no more than your role may do.',
    }),
    expires_at: Type.String({ format: 'date-time', description: 'At most 365 days from now.' }),
  },
  { $id: 'NewManagementKey', additionalProperties: false },
)
export type NewManagementKey = Static<typeof NewManagementKey>

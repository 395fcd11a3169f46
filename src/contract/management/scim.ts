import { Type, type Static } from 'typebox'
import { Id, name, nullable, Time } from './schemas.ts'

export const ScimToken = Type.Object(
  {
    id: Id,
    name: Type.String(),
    shown_as: Type.String({ description: 'Beginning and end; never the secret.' }),
    created_by: Type.String({ format: 'uuid', description: 'The owner who made it.' }),
    created_at: Time,
    revoked_at: nullable(Time),
    last_used_at: nullable(Time),
  },
  { $id: 'ScimToken' },
)
export type ScimToken = Static<typeof ScimToken>

export const CreatedScimToken = Type.Object(
  {
    token: Type.String({ description: 'The whole token. It is shown only once.' }),
    ...ScimToken.properties,
  },
  { $id: 'CreatedScimToken' },
)
export type CreatedScimToken = Static<typeof CreatedScimToken>

export const NewScimToken = Type.Object(
  { name: name(100, 'Shown in lists and in the audit log.') },
  { $id: 'NewScimToken', additionalProperties: false },
)
export type NewScimToken = Static<typeof NewScimToken>

const GroupRole = Type.Object(
  {
    group: name(255, 'Name of a group of the provider. Capital and small letters are the same.'),
    role: Type.Enum(['owner', 'admin', 'member', 'viewer'], {
      description: 'Role that its members get; of several groups the highest counts.',
    }),
  },
  { additionalProperties: false },
)

const Roles = Type.Array(GroupRole, {
  maxItems: 50,
  description: 'Members of other groups get no role from them, and are `member` at first.',
})

export const ScimRoles = Type.Object(
  { roles: Roles },
  { $id: 'ScimRoles', additionalProperties: false },
)
export type ScimRoles = Static<typeof ScimRoles>

export const ScimSettings = Type.Object(
  {
    base_url: Type.String({ description: 'To be entered at the provider.' }),
    roles: Roles,
  },
  { $id: 'ScimSettings' },
)
export type ScimSettings = Static<typeof ScimSettings>

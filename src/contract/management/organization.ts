import { Type, type Static } from 'typebox'
import { Id, name, Time } from './schemas.ts'

export const Organization = Type.Object(
  {
    id: Id,
    slug: Type.String({ description: 'Its name in addresses. It never changes.' }),
    name: Type.String(),
    plan: Type.String(),
    retention: Type.Enum(['zero', 'standard', 'contributor']),
    billing_state: Type.Enum(['ok', 'exhausted', 'conflict']),
    created_at: Time,
  },
  { $id: 'Organization' },
)
export type Organization = Static<typeof Organization>

export const OrganizationChange = Type.Object(
  { name: Type.Optional(name(200, 'Display name.')) },
  { $id: 'OrganizationChange', additionalProperties: false },
)
export type OrganizationChange = Static<typeof OrganizationChange>

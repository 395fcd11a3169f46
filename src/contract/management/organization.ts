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
    support_access_ends_at: Type.Optional({
      ...Time,
      description: 'Only for support, which reads with the consent of an owner: until when.',
    }),
  },
  { $id: 'Organization' },
)
export type Organization = Static<typeof Organization>

export const OrganizationChange = Type.Object(
  { name: Type.Optional(name(200, 'Display name.')) },
  { $id: 'OrganizationChange', additionalProperties: false },
)
export type OrganizationChange = Static<typeof OrganizationChange>

export const OrganizationDeletion = Type.Object(
  {
    forfeit_balance: Type.Optional(
      Type.Boolean({ description: 'A balance above zero is forfeited; without it: 409.' }),
    ),
  },
  { additionalProperties: false },
)

const NETWORKS_MAX = 50
/** The longest spelling of an IPv6 network. */
const NETWORK_LENGTH_MAX = 49

export const AllowedNetworks = Type.Object(
  {
    networks: Type.Array(Type.String({ minLength: 1, maxLength: NETWORK_LENGTH_MAX }), {
      maxItems: NETWORKS_MAX,
      description:
        'Networks such as 192.0.2.0/24, or single addresses. Members in the console, management ' +
        'keys, API keys and the playground are refused from anywhere else. None: no restriction.',
    }),
  },
  { $id: 'AllowedNetworks', additionalProperties: false },
)
export type AllowedNetworks = Static<typeof AllowedNetworks>

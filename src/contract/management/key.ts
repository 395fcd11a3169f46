import { Type, type Static } from 'typebox'
import { IGNORABLE_PARAMETERS } from '../ignorable-parameters.ts'
import { Id, Money, name, NewMoney, nullable, PAGE_QUERY, searchTerm, Time } from './schemas.ts'

export const Key = Type.Object(
  {
    id: Id,
    name: Type.String(),
    shown_as: Type.String({ description: 'Beginning and end; never the secret.' }),
    project: Type.Object({ id: Id, name: Type.String() }),
    created_by: Type.Union([Id, Type.Null()], {
      description: 'The member it belongs to; null: the organization.',
    }),
    created_at: Time,
    expires_at: nullable(Time),
    revoked_at: nullable(Time),
    last_used_at: nullable(Time),
    models: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'Null: all models of the plan.',
    }),
    ignored_parameters: Type.Array(Type.String(), {
      description: 'Parameters that its requests may have although nothing is done with them.',
    }),
    requests_per_minute: nullable(Type.Integer()),
    spending_limit: Type.Union([Money, Type.Null()], {
      description: 'Per calendar month (UTC).',
    }),
    held_limits: Type.Array(Type.String(), {
      description:
        'Limits that somebody else than the member it belongs to set: `models`, ' +
        '`requests_per_minute`, `spending_limit`, `expires_at`. The member may only tighten them.',
    }),
    replaced_by: Type.Union([Id, Type.Null()], { description: 'The key that took its place.' }),
    revoked_by: nullable(Id),
    revoke_reason: nullable(Type.String()),
  },
  { $id: 'Key' },
)
export type Key = Static<typeof Key>

export const CreatedKey = Type.Object(
  { key: Type.String({ description: 'The whole key. It is shown only once.' }), ...Key.properties },
  { $id: 'CreatedKey' },
)
export type CreatedKey = Static<typeof CreatedKey>

const REQUESTS_PER_MINUTE_MAX = 10_000_000_000

const SETTINGS = {
  name: name(100, 'Shown in lists.'),
  expires_at: Type.Optional(nullable(Time)),
  models: Type.Optional(
    Type.Union([Type.Array(Type.String(), { minItems: 1, maxItems: 1000 }), Type.Null()], {
      description: 'Models that the key may use; null: all of the plan.',
    }),
  ),
  ignored_parameters: Type.Optional(
    Type.Array(Type.Enum([...IGNORABLE_PARAMETERS]), {
      maxItems: IGNORABLE_PARAMETERS.length,
      description:
        'Parameters that requests of the key may have although nothing is done with them, ' +
        'besides those of the plan.',
    }),
  ),
  requests_per_minute: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: REQUESTS_PER_MINUTE_MAX })),
  ),
  spending_limit: Type.Optional(
    Type.Union([NewMoney, Type.Null()], { description: 'Per calendar month (UTC).' }),
  ),
}

export const NewKey = Type.Object(
  {
    ...SETTINGS,
    project: Type.Optional(Type.String({ description: 'Name or id; default: `default`.' })),
    owner: Type.Optional(
      Type.Enum(['me', 'organization'], {
        description:
          'Whose key it is: it stops working when its owner leaves. Default: `me` with a ' +
          'session, `organization` with a management key.',
      }),
    ),
  },
  { $id: 'NewKey', additionalProperties: false },
)
export type NewKey = Static<typeof NewKey>

export const KeyChange = Type.Object(
  { ...SETTINGS, name: Type.Optional(SETTINGS.name) },
  { $id: 'KeyChange', additionalProperties: false },
)
export type KeyChange = Static<typeof KeyChange>

const OVERLAP_SECONDS_MAX = 604_800

export const KeyRotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        description: 'How long the old key still works. Default 86400, one day.',
      }),
    ),
  },
  { $id: 'KeyRotation', additionalProperties: false },
)
export type KeyRotation = Static<typeof KeyRotation>

export const KeyRevocation = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
  { $id: 'KeyRevocation', additionalProperties: false },
)
export type KeyRevocation = Static<typeof KeyRevocation>

export const KeyQuery = Type.Object(
  {
    ...PAGE_QUERY,
    project: Type.Optional(Type.String({ maxLength: 100, description: 'Name or id.' })),
    owner: Type.Optional(
      Type.String({
        maxLength: 36,
        description: '`me`, `organization`, or the id of an account.',
      }),
    ),
    state: Type.Optional(
      Type.Enum(['active', 'all'], {
        description: '`active`: neither revoked nor expired. Default `all`.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['created', 'name', 'expires', 'last_used'], {
        description:
          'What the list is ordered by. Default `created`. With another order, only the newest ' +
          '10,000 keys that match are listed.',
      }),
    ),
    order: Type.Optional(
      Type.Enum(['asc', 'desc'], {
        description:
          'Default `desc`. Keys that never expire are the last to expire; keys that were never ' +
          'used were used before all others.',
      }),
    ),
    q: searchTerm('a part of the name, the last four characters, or the id'),
  },
  { additionalProperties: false },
)
export type KeyQuery = Static<typeof KeyQuery>

import { Type, type Static } from 'typebox'
import { Id, name, nullable, PAGE_QUERY, searchTerm, Time } from './schemas.ts'

// Accounts, as operators and support see them.

const AccountState = Type.Enum(['waiting', 'active', 'restricted'])
const PlatformRole = Type.Enum(['support', 'operator'])

/** For lists whose `next` is an id. */
export const ID_PAGE_QUERY = { ...PAGE_QUERY, after: Type.Optional(Id) } as const

export const OperatorAccount = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: nullable(Type.String()),
    state: AccountState,
    registered: Type.Boolean(),
    email_verified: Type.Boolean(),
    platform_role: nullable(PlatformRole),
    by_invitation: Type.Boolean({
      description:
        'An invitation let the person in, past the waiting list or a closed sign-up. They create ' +
        'no organizations until an operator admits them.',
    }),
    waiting_note: Type.Union([Type.String(), Type.Null()], {
      description: 'What the person wrote while waiting for access.',
    }),
    created_at: Time,
  },
  { $id: 'OperatorAccount' },
)
export type OperatorAccount = Static<typeof OperatorAccount>

export const OperatorAccountDetail = Type.Object(
  {
    ...OperatorAccount.properties,
    terms_version: nullable(Type.String()),
    second_factor: Type.Boolean({ description: 'Whether it has a passkey or an authenticator.' }),
    sessions: Type.Integer({ description: 'Sessions that have not ended.' }),
    last_seen_at: nullable(Time),
    organizations: Type.Array(
      Type.Object({
        id: Id,
        slug: Type.String(),
        name: Type.String(),
        role: Type.Enum(['owner', 'admin', 'member', 'viewer']),
        state: Type.Enum(['active', 'removed']),
      }),
      { description: 'At most 100.' },
    ),
  },
  { $id: 'OperatorAccountDetail' },
)
export type OperatorAccountDetail = Static<typeof OperatorAccountDetail>

export const AccountsQuery = Type.Object(
  {
    ...ID_PAGE_QUERY,
    q: searchTerm('a part of the address or of the name, or the id'),
    state: Type.Optional(AccountState),
    platform_role: Type.Optional(PlatformRole),
  },
  { additionalProperties: false },
)
export type AccountsQuery = Static<typeof AccountsQuery>

export const Admission = Type.Object(
  {
    ids: Type.Array(Id, {
      minItems: 1,
      maxItems: 100,
      description: 'Accounts that wait, or that an invitation let in.',
    }),
    note: Type.Optional(name(500, 'Why; kept in the audit log.')),
  },
  { $id: 'Admission', additionalProperties: false },
)

export const Admitted = Type.Object(
  {
    admitted: Type.Array(OperatorAccount),
    skipped: Type.Array(Type.String(), {
      description: 'Accounts that do not exist, or that needed no admission.',
    }),
  },
  { $id: 'Admitted' },
)
export type Admitted = Static<typeof Admitted>

export const AccountChange = Type.Object(
  {
    state: Type.Optional(Type.Enum(['active', 'restricted'])),
    platform_role: Type.Optional(nullable(PlatformRole)),
    note: Type.Optional(name(500, 'Why; kept in the audit log.')),
  },
  { $id: 'AccountChange', additionalProperties: false },
)
export type AccountChange = Static<typeof AccountChange>

export const ResetLink = Type.Object(
  {
    sent: Type.Boolean({ description: 'The link was sent to the address of the account.' }),
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Shown only once, and only if no email can be sent.',
    }),
  },
  { $id: 'ResetLink' },
)

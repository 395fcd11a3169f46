import { Type, type Static } from 'typebox'
import { AuditEvent, AuditExportQuery, AuditQuery } from './audit-event.ts'
import { Transfer } from './billing.ts'
import { ID_PAGE_QUERY } from './operator-account.ts'
import { Id, Money, name, NewMoney, nullable, searchTerm, sortQuery, Time } from './schemas.ts'

// Organizations, as operators and support see them.

/** In the order in which they are shown. */
export const LIMIT_NAMES = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

const LIMIT_MAX = 10_000_000_000
const BillingState = Type.Enum(['ok', 'exhausted', 'conflict'])
const Override = nullable(Type.Integer({ minimum: 0, maximum: LIMIT_MAX }))

const OVERRIDES = {
  requests_per_minute: Override,
  requests_per_day: Override,
  tokens_per_minute: Override,
  tokens_per_day: Override,
} as const

export const OperatorOrganization = Type.Object(
  {
    id: Id,
    slug: Type.String(),
    name: Type.String(),
    plan: Type.String(),
    retention: Type.Enum(['zero', 'standard', 'contributor']),
    billing_state: BillingState,
    limits: Type.Object(OVERRIDES, { description: 'Overrides; null: the limit of the plan.' }),
    suspension: Type.Union([Type.Object({ since: Time, reason: Type.String() }), Type.Null()], {
      description: 'While it lasts, its keys and its playground get 403.',
    }),
    created_at: Time,
    deleted_at: Type.Union([Time, Type.Null()], {
      description: 'Then only its ledger, usage and audit log are left.',
    }),
  },
  { $id: 'OperatorOrganization' },
)
export type OperatorOrganization = Static<typeof OperatorOrganization>

const LimitInForce = Type.Object({
  name: Type.Enum([...LIMIT_NAMES]),
  limit: Type.Integer(),
  source: Type.Enum(['plan', 'override']),
})
export type LimitInForce = Static<typeof LimitInForce>

const Keys = Type.Object({
  count: Type.Integer({ description: 'Keys that were not revoked.' }),
  more: Type.Boolean({ description: 'There are more than `count`.' }),
})

const InvitedOwner = Type.Object({ email: Type.String(), ends_at: Time })

export const OwnerInvitation = Type.Object(
  { email: Type.String({ format: 'email', maxLength: 254 }) },
  { $id: 'OwnerInvitation', additionalProperties: false },
)
export type OwnerInvitation = Static<typeof OwnerInvitation>

export const OrganizationDetail = Type.Object(
  {
    organization: OperatorOrganization,
    limits_in_force: Type.Union([Type.Array(LimitInForce), Type.Null()], {
      description: 'Null if its plan is no longer offered: nothing is admitted.',
    }),
    billing: nullable(Type.String()),
    balance: Type.Object({ granted: Money, spent: Money, balance: Money }),
    credit_limit: Type.Union([Money, Type.Null()], {
      description: 'In force while the plan is postpaid; null: it may owe any amount.',
    }),
    credit_used: Type.Object(Money.properties, {
      description: 'Unpaid invoices and usage that was posted and not billed yet, less grants.',
    }),
    keys: Keys,
    sso_only: Type.Boolean({ description: 'Whether its members can enter with SSO only.' }),
    support_access_ends_at: Type.Union([Time, Type.Null()], {
      description: 'Until when an owner lets support read the organization.',
    }),
    has_owner: Type.Boolean({ description: 'Without one an operator may invite an owner.' }),
    owner_invitation: Type.Union([InvitedOwner, Type.Null()], {
      description: 'The open invitation of an owner that an operator made; null for support.',
    }),
  },
  { $id: 'OrganizationDetail' },
)
export type OrganizationDetail = Static<typeof OrganizationDetail>

export const OrganizationsQuery = Type.Object(
  {
    ...ID_PAGE_QUERY,
    ...sortQuery(['name', 'plan'], 'organizations that match'),
    q: searchTerm('a part of the name or of the slug, or the id'),
  },
  { additionalProperties: false },
)
export type OrganizationsQuery = Static<typeof OrganizationsQuery>

export const NewOperatorOrganization = Type.Object(
  {
    slug: Type.String({ minLength: 1, maxLength: 63, description: 'It never changes.' }),
    name: Type.Optional(name(200, 'Display name; default: the slug.')),
    plan: Type.Optional(name(100, 'Default: the default plan.')),
    retention: Type.Optional(Type.Enum(['zero', 'standard'])),
    owner: Type.Optional(name(320, 'Account that becomes the owner: email address or id.')),
  },
  { $id: 'NewOperatorOrganization', additionalProperties: false },
)

export const OrganizationUpdate = Type.Object(
  {
    name: Type.Optional(name(200, 'Display name.')),
    plan: Type.Optional(name(100, 'A plan of the configuration.')),
    billing_state: Type.Optional(BillingState),
    suspension: Type.Optional(
      Type.Union(
        [
          Type.Object(
            { reason: name(200, 'Shown to the members.') },
            { additionalProperties: false },
          ),
          Type.Null(),
        ],
        { description: 'Refuses its keys and its playground with 403; null lets them go on.' },
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          requests_per_minute: Type.Optional(Override),
          requests_per_day: Type.Optional(Override),
          tokens_per_minute: Type.Optional(Override),
          tokens_per_day: Type.Optional(Override),
        },
        { additionalProperties: false, description: 'Overrides; null removes one.' },
      ),
    ),
  },
  { $id: 'OrganizationUpdate', additionalProperties: false },
)
export type OrganizationUpdate = Static<typeof OrganizationUpdate>

export const CreditLimit = Type.Object(
  {
    credit_limit: Type.Union([NewMoney, Type.Null()], {
      description: 'What it may owe at most on a postpaid plan; null: any amount.',
    }),
    reason: name(200, 'For the audit log.'),
  },
  { $id: 'CreditLimit', additionalProperties: false },
)
export type CreditLimit = Static<typeof CreditLimit>

export const CreditLimitSet = Type.Object(
  { credit_limit: Type.Union([Money, Type.Null()]) },
  { $id: 'CreditLimitSet' },
)

function beforeAndAfter<Value extends ReturnType<typeof Type.String>>(value: Value) {
  return Type.Object({ before: nullable(value), after: nullable(value) })
}

const LostAndGained = Type.Object({
  lost: Type.Array(Type.String()),
  gained: Type.Array(Type.String()),
})

const InForce = Type.Object({ limit: Type.Integer(), source: Type.Enum(['plan', 'override']) })

export const OrganizationPreview = Type.Object(
  {
    plan: beforeAndAfter(Type.String()),
    billing: beforeAndAfter(Type.String()),
    billing_state: beforeAndAfter(Type.String()),
    limits: Type.Array(
      Type.Object({
        name: Type.Enum([...LIMIT_NAMES]),
        before: nullable(InForce),
        after: nullable(InForce),
        used: Type.Union([Type.Integer(), Type.Null()], {
          description: 'Of the limit in force, now; null if Valkey cannot be asked.',
        }),
        remaining_after: Type.Union([Type.Integer(), Type.Null()], {
          description: 'What would be left now under the new limit; 0: requests would be refused.',
        }),
      }),
    ),
    models: LostAndGained,
    repriced: Type.Array(Type.String(), { description: 'Models whose price would change.' }),
    credentials: LostAndGained,
    keys: Type.Object({
      ...Keys.properties,
      without_models: Type.Integer({
        description: 'Of the counted keys, those that would reach no model any more.',
      }),
    }),
  },
  { $id: 'OrganizationPreview' },
)
export type OrganizationPreview = Static<typeof OrganizationPreview>

export const NewTransfer = Type.Object(
  {
    kind: Type.Enum(['grant', 'adjustment']),
    amount: NewMoney,
    reason: name(200, 'Shown in the history.'),
    reference: name(200, 'Repeating a transfer with the same reference has no effect.'),
    expires_at: Type.Optional(
      Type.String({
        ...Time,
        description: 'Of a grant: an hour later what is left of it is taken back. Default: never.',
      }),
    ),
  },
  { $id: 'NewTransfer', additionalProperties: false },
)
export type NewTransfer = Static<typeof NewTransfer>

export const MadeTransfer = Type.Object(
  {
    transfer: Transfer,
    repeated: Type.Boolean({ description: 'It had been made before, and was not made again.' }),
    balance: Type.Object({ granted: Money, spent: Money, balance: Money }),
  },
  { $id: 'MadeTransfer' },
)
export type MadeTransfer = Static<typeof MadeTransfer>

export const PlatformAuditEvent = Type.Object(
  {
    ...AuditEvent.properties,
    organization_id: Type.Union([Id, Type.Null()], { description: 'Null: of the platform.' }),
  },
  { $id: 'PlatformAuditEvent' },
)
export type PlatformAuditEvent = Static<typeof PlatformAuditEvent>

const OF_ORGANIZATION = {
  organization: Type.Optional(
    name(63, 'Id or slug. Default: all; for support, what concerns no organization.'),
  ),
} as const

export const PlatformAuditQuery = Type.Object(
  { ...AuditQuery.properties, ...OF_ORGANIZATION },
  { additionalProperties: false },
)
export type PlatformAuditQuery = Static<typeof PlatformAuditQuery>

export const PlatformAuditExportQuery = Type.Object(
  { ...AuditExportQuery.properties, ...OF_ORGANIZATION },
  { additionalProperties: false },
)
export type PlatformAuditExportQuery = Static<typeof PlatformAuditExportQuery>

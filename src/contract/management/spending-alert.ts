import { Type, type Static } from 'typebox'
import { Addresses, Id, Money, nullable, Time } from './schemas.ts'

export const SpendingAlert = Type.Object(
  {
    project: Type.Union([Type.Object({ id: Id, name: Type.String() }), Type.Null()], {
      description: 'Null: of the whole organization.',
    }),
    thresholds: Type.Array(Money, { description: 'Per calendar month, UTC.' }),
    emails: Type.Array(Type.String()),
    webhook_url: nullable(Type.String()),
    version: Type.Integer({ description: 'Send it as `If-Match: "<version>"` with a change.' }),
    reached: Type.Array(
      Type.Object({
        threshold: Money,
        spent: Money,
        reached_at: Time,
        sent_at: nullable(Time),
      }),
      { description: 'In this month.' },
    ),
  },
  { $id: 'SpendingAlert' },
)
export type SpendingAlert = Static<typeof SpendingAlert>

export const ChangedSpendingAlert = Type.Object(
  {
    ...SpendingAlert.properties,
    webhook_secret: Type.Union([Type.String(), Type.Null()], {
      description: 'Verifies what the webhook receives. Shown only when it is made.',
    }),
  },
  { $id: 'ChangedSpendingAlert' },
)
export type ChangedSpendingAlert = Static<typeof ChangedSpendingAlert>

export const SpendingAlertChange = Type.Object(
  {
    project: Type.Optional(
      nullable(Type.String({ maxLength: 100, description: 'Name or id; null: organization.' })),
    ),
    thresholds: Type.Array(Type.String({ maxLength: 20 }), {
      maxItems: 10,
      description: 'Amounts such as "12.50". None removes the alert.',
    }),
    emails: Type.Optional(Addresses),
    webhook_url: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 2048 }))),
    new_secret: Type.Optional(
      Type.Boolean({ description: 'Replace the secret of the webhook.', default: false }),
    ),
  },
  { $id: 'SpendingAlertChange', additionalProperties: false },
)
export type SpendingAlertChange = Static<typeof SpendingAlertChange>

export const AlertTestInput = Type.Object(
  {
    project: nullable(
      Type.String({
        maxLength: 100,
        description: 'Name or id; null: the one of the organization.',
      }),
    ),
  },
  { $id: 'AlertTestInput', additionalProperties: false },
)
export type AlertTestInput = Static<typeof AlertTestInput>

export const AlertTest = Type.Object(
  {
    webhook: Type.Union([Type.Enum(['delivered', 'failed']), Type.Null()], {
      description: 'Whether it answered with success; null: the alert has none.',
    }),
    emails: Type.Integer({
      description: 'Emails that were sent: none to addresses that got many alerts today.',
    }),
  },
  { $id: 'AlertTest' },
)
export type AlertTest = Static<typeof AlertTest>

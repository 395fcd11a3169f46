import { Type, type Static } from 'typebox'
import { Id, Money, nullable, PAGE_QUERY, Time } from '../management/schemas.ts'

// The daily comparison of the payment provider's books with the ledger.

const Day = Type.String({ format: 'date', description: 'A UTC day.' })

const Sides = Type.Object({ theirs: Money, ours: Money })

export const ProviderDay = Type.Object(
  {
    day: Day,
    charges: Sides,
    refunds: Type.Unsafe<Static<typeof Sides>>({
      ...Sides,
      description: 'Negative, because money left. What came back is in it.',
    }),
    disputes: Type.Unsafe<Static<typeof Sides>>({
      ...Sides,
      description: 'Negative, because money left. What came back is in it.',
    }),
    fees: Type.Unsafe<Static<typeof Sides>>({
      ...Sides,
      description: 'What the provider took, for disputes too.',
    }),
    other_fees: Type.Array(Money, {
      description: 'Fees in other currencies than that of the ledger. They are not in it.',
    }),
    without_entry: Type.Integer({
      description: 'Movements of money at the provider without an entry in the ledger.',
    }),
    without_movement: Type.Integer({
      description: 'Entries that are three days old and have no movement at the provider.',
    }),
    awaited: Type.Integer({ description: 'Younger entries whose movement may still come.' }),
    ignored: Type.Integer({
      description: 'Movements of other products of the account, and payouts.',
    }),
    items: Type.Array(
      Type.Object({
        about: Type.Enum(['payment', 'refund', 'dispute']),
        ref: Type.String({ description: 'At the provider.' }),
        payment_id: nullable(Id),
        amount: Money,
        missing: Type.Enum(['entry', 'movement']),
      }),
      { description: 'What has no other side; at most 50.' },
    ),
    compared_at: Time,
  },
  {
    $id: 'ProviderDay',
    description:
      'Both sides of a day. A movement and its entry are equal if their object and ' +
      'amount are, whenever the entry was made.',
  },
)
export type ProviderDay = Static<typeof ProviderDay>

export const ProviderDaysQuery = Type.Object({ ...PAGE_QUERY }, { additionalProperties: false })
export type ProviderDaysQuery = Static<typeof ProviderDaysQuery>

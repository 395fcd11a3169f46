import { Type, type Static } from 'typebox'
import { ID_PAGE_QUERY } from '../management/operator-account.ts'
import { Id, Money, name, NewMoney, nullable, Time } from '../management/schemas.ts'
import { PAYMENT_STATES } from './payment-states.ts'
import { Payment } from './payment.ts'
import { DISPUTE_STATES, NOTE_STATES, REFUND_STATES } from './refund-states.ts'

// Payments as operators see them: of all organizations, with what went back.

const RETURNED = {
  id: Id,
  payment_id: Id,
  organization_id: Id,
  amount: Type.Unsafe<Money>({ ...Money, description: 'With tax.' }),
  tax: Type.Unsafe<Money>({ ...Money, description: 'The tax in it.' }),
  created_at: Time,
  changed_at: Type.Unsafe<string>({ ...Time, description: 'When it got its state.' }),
} as const

export const Refund = Type.Object(
  {
    ...RETURNED,
    state: Type.Enum([...REFUND_STATES], {
      description:
        'requested: the money is held. pending: the provider works on it. succeeded: the ' +
        'customer has it. failed: it is back where it came from.',
    }),
    requested_by: nullable(
      Type.String({ description: "Null: it was made in the provider's dashboard." }),
    ),
    reason: nullable(Type.String()),
    ref: nullable(Type.String({ description: 'Its id at the provider.' })),
    failure: nullable(Type.String({ description: "The provider's word for why it failed." })),
    credit_note: Type.Union(
      [
        Type.Object({
          state: Type.Enum([...NOTE_STATES], {
            description:
              'owed: the provider is asked for it until it answers. refused: the invoice still ' +
              'stands in full.',
          }),
          ref: nullable(Type.String({ description: 'Its id at the provider.' })),
          failure: nullable(Type.String({ description: "The provider's word for why." })),
        }),
        Type.Null(),
      ],
      {
        description:
          'By which the invoice becomes lower. Null: the payment has no invoice, the refund has ' +
          "failed, or it was made in the provider's dashboard.",
      },
    ),
  },
  { $id: 'Refund' },
)
export type Refund = Static<typeof Refund>

export const Dispute = Type.Object(
  {
    ...RETURNED,
    state: Type.Enum([...DISPUTE_STATES], {
      description:
        'inquiry: no money was moved. open: the bank has the money. won: it is back. lost: the ' +
        'bank keeps it.',
    }),
    reason: Type.String({ description: "The provider's word for why." }),
    ref: Type.String({ description: 'Its id at the provider.' }),
  },
  { $id: 'Dispute' },
)
export type Dispute = Static<typeof Dispute>

export const OperatorDispute = Type.Object(
  { ...Dispute.properties, organization_slug: Type.String(), organization_name: Type.String() },
  { $id: 'OperatorDispute' },
)
export type OperatorDispute = Static<typeof OperatorDispute>

export const OperatorPayment = Type.Object(
  {
    ...Payment.properties,
    url: Type.Null({ description: 'Only who pays gets the page.' }),
    organization_id: Id,
    organization_slug: Type.String(),
    organization_name: Type.String(),
    started_by: nullable(
      Type.Unsafe<string>({
        ...Id,
        description: 'The account. Null: the payment was found at the provider after a restore.',
      }),
    ),
    returned: Type.Unsafe<Money>({
      ...Money,
      description: 'With tax: refunds that have not failed, and what banks hold in disputes.',
    }),
    differences: Type.Array(
      Type.Object({ field: Type.String(), ours: Type.String(), theirs: Type.String() }),
      { description: 'Facts of the provider that contradict ours.' },
    ),
    resolution: nullable(
      Type.Enum(['credit', 'refund', 'outside'], {
        description: 'How an operator ended it when facts contradicted.',
      }),
    ),
  },
  { $id: 'OperatorPayment' },
)
export type OperatorPayment = Static<typeof OperatorPayment>

const TimelineEntry = Type.Object(
  {
    at: Time,
    kind: Type.Enum(['audit', 'hint', 'read', 'transfer'], {
      description:
        'audit: an event of the audit log. hint: something that led to a reading. read: the last ' +
        'reading at the provider. transfer: money in the ledger.',
    }),
    name: Type.String({ description: 'Action, type of the event, or reference of the transfer.' }),
    by: nullable(Type.String({ description: 'Who acted; for a hint, where it came from.' })),
    amount: Type.Union([Money, Type.Null()]),
    way: nullable(Type.String({ description: 'From which account to which.' })),
  },
  { $id: 'TimelineEntry' },
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const OperatorPaymentDetail = Type.Object(
  {
    payment: OperatorPayment,
    refundable: Type.Unsafe<Money>({ ...Money, description: 'What has not gone back yet.' }),
    refs: Type.Object({
      page: nullable(Type.String()),
      money: nullable(Type.String()),
      invoice: nullable(Type.String()),
    }),
    dashboard_url: nullable(
      Type.String({ description: "Where it is shown in the provider's dashboard." }),
    ),
    next_reading_at: nullable(Time),
    refunds: Type.Array(Refund),
    disputes: Type.Array(Dispute),
    timeline: Type.Array(TimelineEntry, { description: 'Oldest first.' }),
  },
  { $id: 'OperatorPaymentDetail' },
)
export type OperatorPaymentDetail = Static<typeof OperatorPaymentDetail>

export const OperatorPaymentsQuery = Type.Object(
  {
    ...ID_PAGE_QUERY,
    state: Type.Optional(Type.Enum([...PAYMENT_STATES])),
    organization: Type.Optional(name(63, 'Id or slug. Default: all.')),
  },
  { additionalProperties: false },
)
export type OperatorPaymentsQuery = Static<typeof OperatorPaymentsQuery>

export const DisputesQuery = Type.Object(
  { ...ID_PAGE_QUERY, state: Type.Optional(Type.Enum([...DISPUTE_STATES])) },
  { additionalProperties: false },
)
export type DisputesQuery = Static<typeof DisputesQuery>

const reason = name(200, 'Why, for the audit log.')

export const NewRefund = Type.Object(
  { amount: NewMoney, reason },
  { $id: 'NewRefund', additionalProperties: false },
)
export type NewRefund = Static<typeof NewRefund>

export const PaymentResolution = Type.Object(
  {
    how: Type.Enum(['credit', 'refund', 'outside'], {
      description:
        'credit: add what was received. refund: the same, and refund all of it at once. outside: ' +
        'it was settled elsewhere, nothing is added.',
    }),
    reason,
  },
  { $id: 'PaymentResolution', additionalProperties: false },
)
export type PaymentResolution = Static<typeof PaymentResolution>

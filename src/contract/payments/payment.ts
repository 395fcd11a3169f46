import { Type, type Static } from 'typebox'
import { PAYMENT_KINDS, PAYMENT_STATES } from './payment-states.ts'
import { Id, Money, NewMoney, nullable, Time } from '../management/schemas.ts'

export const Payment = Type.Object(
  {
    id: Id,
    kind: Type.Enum([...PAYMENT_KINDS], {
      description:
        'page: somebody pays on a page. automatic: the saved card is charged. invoice: what is ' +
        'owed for a month, paid afterwards.',
    }),
    state: Type.Enum([...PAYMENT_STATES], {
      description:
        'created: its page is not known yet. open: it can be paid. processing: a bank is ' +
        'working. needs_customer: the bank asks the owner of the saved card to confirm it on the ' +
        'page. succeeded: paid and added to the balance. failed: declined. expired: nobody ' +
        'paid in time, or it was cancelled. attention: the operator looks at it. Of an invoice, ' +
        'failed is written off and expired is void.',
    }),
    month: nullable(Type.String({ description: 'The UTC month of an invoice, as 2026-10.' })),
    amount: Type.Unsafe<Money>({
      ...Money,
      description: 'What is added to the balance, or owed without tax.',
    }),
    tax: Type.Union([Money, Type.Null()], {
      description: 'What was paid on top; null until it is paid, or the invoice is issued.',
    }),
    url: nullable(
      Type.String({
        description:
          'The page where it can be paid, while it is open; null for whoever may not pay.',
      }),
    ),
    failure: nullable(
      Type.String({ description: "The provider's word for the last decline of a card." }),
    ),
    has_document: Type.Boolean({ description: 'There is an invoice or receipt.' }),
    created_at: Time,
    expires_at: Type.Unsafe<string>({
      ...Time,
      description: 'Until when its page can be used; when an invoice is due.',
    }),
    changed_at: Type.Unsafe<string>({ ...Time, description: 'When it got its state.' }),
  },
  { $id: 'Payment' },
)
export type Payment = Static<typeof Payment>

export const NewPayment = Type.Object(
  {
    amount: NewMoney,
    save_card: Type.Optional(
      Type.Boolean({ description: 'Keep the card for automatic top-up. Default: false.' }),
    ),
  },
  { additionalProperties: false },
)
export type NewPayment = Static<typeof NewPayment>

export const SavedCard = Type.Object(
  {
    brand: Type.String({ description: "The provider's word, such as visa." }),
    last_four: Type.String(),
    expires_month: Type.Integer(),
    expires_year: Type.Integer(),
  },
  { $id: 'SavedCard' },
)
export type SavedCard = Static<typeof SavedCard>

export const PaymentOptions = Type.Object(
  {
    currency: Type.String(),
    min: Money,
    max: Money,
    step: Type.Unsafe<Money>({ ...Money, description: 'Amounts are whole multiples of it.' }),
    tax: Type.Boolean({ description: 'Tax is added to the amount.' }),
    page_hosts: Type.Array(Type.String(), {
      description: 'Browsers follow addresses of these hosts only.',
    }),
    card: Type.Union([SavedCard, Type.Null()], {
      description: 'The card that is kept for automatic top-up; null if there is none.',
    }),
  },
  { $id: 'PaymentOptions' },
)
export type PaymentOptions = Static<typeof PaymentOptions>

export const PaymentPortal = Type.Object({ url: Type.String() }, { $id: 'PaymentPortal' })
export type PaymentPortal = Static<typeof PaymentPortal>

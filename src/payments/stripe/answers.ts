import { Type, type Static, type TSchema } from 'typebox'

// What we read of Stripe's objects. Stripe adds members at any time, so others are ignored.

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

const Id = Type.String({ minLength: 1 })
const Metadata = Type.Record(Type.String(), Type.String())
/** Unless it is expanded. */
const Reference = Type.Union([Id, Type.Object({ id: Id })])

export const Created = Type.Object({ id: Id })
/** Where only success matters. */
export const Done = Type.Object({})

const Card = Type.Object({
  brand: Type.String(),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
})
const Intent = Type.Object({
  id: Id,
  status: Type.String(),
  amount_received: Type.Integer(),
  setup_future_usage: maybe(Type.String()),
  payment_method: maybe(
    Type.Union([Type.String(), Type.Object({ id: Id, card: Type.Optional(Card) })]),
  ),
  last_payment_error: maybe(
    Type.Object({ code: maybe(Type.String()), decline_code: maybe(Type.String()) }),
  ),
})
export type Intent = Static<typeof Intent>

export const Session = Type.Object({
  id: Id,
  status: nullable(Type.String()),
  payment_status: Type.String(),
  url: maybe(Type.String()),
  expires_at: Type.Integer(),
  livemode: Type.Boolean(),
  currency: nullable(Type.String()),
  customer: nullable(Reference),
  metadata: nullable(Metadata),
  amount_subtotal: nullable(Type.Integer()),
  amount_total: nullable(Type.Integer()),
  total_details: maybe(Type.Object({ amount_tax: Type.Integer() })),
})
export const SessionWithMoney = Type.Object({
  ...Session.properties,
  invoice: maybe(Type.Object({ id: Id, hosted_invoice_url: maybe(Type.String()) })),
  payment_intent: nullable(
    Type.Object({
      ...Intent.properties,
      latest_charge: maybe(
        Type.Object({ receipt_url: maybe(Type.String()), created: Type.Optional(Type.Integer()) }),
      ),
    }),
  ),
})

export const Invoice = Type.Object({
  id: Id,
  status: nullable(Type.String()),
  livemode: Type.Boolean(),
  currency: Type.String(),
  customer: nullable(Reference),
  metadata: nullable(Metadata),
  total: Type.Integer(),
  total_excluding_tax: nullable(Type.Integer()),
  amount_due: Type.Integer(),
  hosted_invoice_url: maybe(Type.String()),
  due_date: maybe(Type.Integer()),
  status_transitions: maybe(Type.Object({ paid_at: maybe(Type.Integer()) })),
})
export const InvoiceWithMoney = Type.Object({
  ...Invoice.properties,
  payments: Type.Object({
    data: Type.Array(
      Type.Object({ payment: Type.Object({ payment_intent: Type.Optional(Intent) }) }),
    ),
  }),
})
/** With the ids of its intents, which it has once it is finalized. */
export const InvoiceWithIntents = Type.Object({
  status: nullable(Type.String()),
  metadata: nullable(Metadata),
  payments: Type.Object({
    data: Type.Array(
      Type.Object({ payment: Type.Object({ payment_intent: Type.Optional(Reference) }) }),
    ),
  }),
})

// Lists have objects of other products, too: only what is there for sure is asked of them.
const Listed = { id: Id, created: Type.Integer(), metadata: maybe(Metadata) }
export const ListedSession = Type.Object({
  ...Listed,
  status: nullable(Type.String()),
  payment_status: Type.String(),
  expires_at: Type.Integer(),
  currency: nullable(Type.String()),
  customer: nullable(Reference),
  amount_total: nullable(Type.Integer()),
})
export const ListedInvoice = Type.Object({
  ...Listed,
  status: nullable(Type.String()),
  currency: Type.String(),
  customer: nullable(Reference),
  total: Type.Integer(),
  default_payment_method: maybe(Reference),
})
export const ListedReturn = Type.Object({ id: Id, payment_intent: maybe(Reference) })

/** Where its documents go, and whether there is only left that it was deleted. */
export const Customer = Type.Object({
  id: Id,
  email: maybe(Type.String()),
  deleted: Type.Optional(Type.Boolean()),
})

/** Only whose it is. */
export const OwnedIntent = Type.Object({ id: Id, metadata: maybe(Metadata) })

export const Refund = Type.Object({
  id: Id,
  status: nullable(Type.String()),
  amount: Type.Integer(),
  currency: Type.String(),
  payment_intent: nullable(Reference),
  metadata: nullable(Metadata),
  failure_reason: maybe(Type.String()),
})

export const CreditNote = Type.Object({
  id: Id,
  status: Type.String(),
  metadata: maybe(Metadata),
  refunds: maybe(Type.Array(Type.Object({ refund: maybe(Reference) }))),
})

export const Dispute = Type.Object({
  id: Id,
  status: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  payment_intent: nullable(Reference),
  reason: Type.String(),
  balance_transactions: Type.Array(Type.Object({ amount: Type.Integer() })),
})

/** With its charge, which is expanded. */
export const Warning = Type.Object({
  id: Id,
  charge: Type.Object({ id: Id, payment_intent: maybe(Reference) }),
})

export const Account = Type.Object({
  id: Id,
  charges_enabled: Type.Optional(Type.Boolean()),
  default_currency: Type.Optional(Type.String()),
})
export const Balance = Type.Object({ livemode: Type.Boolean() })
export const TaxSettings = Type.Object({ status: Type.String() })
export const Portal = Type.Object({ url: Type.String() })

/** Snapshot events carry the object, thin ones name it. */
export const Event = Type.Object({
  id: Id,
  type: Type.String(),
  created: Type.Union([Type.Integer(), Type.String()]),
  data: Type.Optional(
    Type.Object({
      object: Type.Optional(Type.Object({ id: Type.Optional(Id), object: Type.String() })),
    }),
  ),
  related_object: maybe(Type.Object({ id: Id, type: Type.String() })),
})
export type Event = Static<typeof Event>

export const MoneyTransaction = Type.Object({
  id: Id,
  reporting_category: Type.String(),
  amount: Type.Integer(),
  fee: Type.Integer(),
  currency: Type.String(),
  created: Type.Integer(),
  source: nullable(
    Type.Object({
      id: Id,
      object: Type.String(),
      payment_intent: maybe(Reference),
      amount: maybe(Type.Integer()),
      currency: maybe(Type.String()),
      metadata: maybe(Metadata),
    }),
  ),
})
export type MoneyTransaction = Static<typeof MoneyTransaction>

export const listOf = <Schema extends TSchema>(item: Schema) =>
  Type.Object({ data: Type.Array(item), has_more: Type.Boolean() })

export function idOf(reference: Static<typeof Reference> | null | undefined): string | null {
  if (reference === null || reference === undefined) return null
  return typeof reference === 'string' ? reference : reference.id
}

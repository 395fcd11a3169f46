import type { AccountFacts } from './account-facts.ts'
import type { MoneyLine } from './money-line.ts'
import type { NewInvoice } from './new-invoice.ts'
import type {
  NewCreditNote,
  NewRefund,
  RefundFacts,
  SoughtCreditNote,
  SoughtRefund,
} from './refund.ts'

/**
 * What a payment provider must do for us. It needs a hosted page, creation that can be repeated,
 * reading by id, and a list of what changed.
 *
 * Amounts are micro-units of the ledger's currency; the provider converts them to its own units.
 * Currencies are three capital letters. Ids of ours are passed in, ids of the provider are called
 * `ref`, and `moneyRef` is the id under which it moved a payment's money: refunds and disputes
 * name the payment by it.
 *
 * Every call throws `ProviderError`. No transaction may be open while one runs.
 */
export type PaymentProvider = {
  readonly name: string
  /** Types of hints that say that money was received. */
  readonly paidTypes: readonly string[]
  /** The same organization gives the same customer while the provider knows the key, 24 hours. */
  readonly createCustomer: (organization: NewCustomer) => Promise<string>
  /** May be repeated: the same payment and attempt give the same page. */
  readonly openPage: (payment: PagePayment, urls: ReturnUrls) => Promise<OpenedPage>
  /**
   * Writes the invoice of a charge, in several steps that may all be repeated. Nobody pays it by
   * itself: its `ref` is stored before `pay` is called.
   */
  readonly writeInvoice: (payment: CardPayment, lines: readonly Line[]) => Promise<string>
  /**
   * Charges the saved card for an invoice. May be repeated. A decline and a card that needs its
   * owner are no errors here; `read` tells them.
   */
  readonly payInvoice: (payment: CardPayment, ref: string) => Promise<void>
  /**
   * Writes the draft of an invoice that its customer is asked to pay, in several steps that may all
   * be repeated. Nobody can pay a draft: its `ref` is stored before it is finalized.
   */
  readonly draftInvoice: (invoice: NewInvoice, lines: readonly Line[]) => Promise<string>
  /** From then on it can be paid on its page, and has a number. No harm if it is repeated. */
  readonly finalizeInvoice: (ref: string) => Promise<void>
  /**
   * Notes what an operator decided about an invoice that nobody has paid there: it was paid
   * elsewhere, or nobody expects its money. No harm if it is repeated or was paid; read it then.
   */
  readonly settleInvoice: (ref: string, how: 'paid' | 'written_off') => Promise<void>
  /** By the payment's id at the provider. For payments whose keys are too old to be repeated. */
  readonly find: (payment: SoughtPayment) => Promise<string | null>
  readonly read: (ref: string) => Promise<PaymentFacts>
  /** So that nobody can pay any more. Done as well if it is paid or over already: read it then. */
  readonly cancel: (ref: string) => Promise<void>
  /** May be repeated: the same refund and attempt are one refund. */
  readonly refund: (refund: NewRefund) => Promise<{ ref: string }>
  /** By its id in our tables. For refunds whose keys are too old, or that were refused. */
  readonly findRefund: (refund: SoughtRefund) => Promise<string | null>
  /** The document by which the invoice of a refund's payment becomes lower. May be repeated. */
  readonly writeCreditNote: (note: NewCreditNote) => Promise<{ ref: string }>
  /** The credit note of a refund, whoever wrote it. */
  readonly findCreditNote: (note: SoughtCreditNote) => Promise<string | null>
  /** The payment whose card was declined, by the hint's `ref`; null if it is none of ours. */
  readonly readDecline: (ref: string) => Promise<string | null>
  /** The `moneyRef` that a bank suspects, by the hint's `ref`; null if there is no such warning. */
  readonly readWarning: (ref: string) => Promise<string | null>
  readonly readRefund: (ref: string) => Promise<RefundFacts>
  readonly readDispute: (ref: string) => Promise<DisputeFacts>
  /** The address of a page for card, address, tax id and documents. It is valid for minutes. */
  readonly openPortal: (customer: string, returnUrl: string) => Promise<string>
  /** The hint in a webhook, or null if it is forged, replayed or unreadable. */
  readonly readHint: (raw: Buffer, headers: HintHeaders) => Hint | null
  /**
   * What changed at or after a time, newest first: a cursor may move only after the whole list
   * was read. The provider keeps it for a limited time (Stripe: 30 days).
   */
  readonly listHints: (since: Date) => AsyncIterable<ListedHint>
  /** Payments that were asked for since a time and have our ids: paid, open or over. */
  readonly listPayments: (since: Date) => AsyncIterable<ListedPayment>
  /** Refunds and disputes that began since a time, also those that are not ours. */
  readonly listReturned: (since: Date) => AsyncIterable<ListedReturn>
  /** All movements of one UTC day (`2026-11-18`), also those that are not ours. */
  readonly listMoney: (day: string) => AsyncIterable<MoneyLine>
  /** Where an operator sees the object of a `ref` at the provider; null if that has no page. */
  readonly dashboardUrl: (account: Pick<AccountFacts, 'ref' | 'live'>, ref: string) => string | null
  /** Who the key belongs to, and how the provider is set up. */
  readonly readAccount: () => Promise<AccountFacts>
  /** Whether it can calculate tax, as it is set up there. */
  readonly isTaxActive: () => Promise<boolean>
}

export type NewCustomer = {
  readonly organizationId: string
  readonly name: string
  /** Where documents are sent, if the provider sends any. */
  readonly email: string | null
  /** The customer that was deleted, if it takes the place of one. */
  readonly replaces?: string
}

export type Attempt = {
  /** The payment's id in our tables. */
  readonly id: string
  readonly organizationId: string
  /** The customer's id at the provider. */
  readonly customer: string
  readonly currency: string
  /** From 1. A new number is a new object: only after `find` found none for the number before. */
  readonly attempt: number
  /** Whether the provider calculates tax and adds it. */
  readonly tax: boolean
}

export type PagePayment = Attempt & {
  /** Net: tax is added. Whole minor units. */
  readonly amount: number
  /** What the customer buys, as on the receipt. */
  readonly description: string
  /** Whether the customer agreed that the card is charged later without them. */
  readonly saveCard: boolean
  /**
   * From 30 minutes to 24 hours ahead. It is part of the request, so a repetition of the attempt
   * must have the same: it is made from the row.
   */
  readonly expiresAt: Date
}

export type CardPayment = Attempt & {
  /** The card's id at the provider. */
  readonly card: string
}

export type Line = {
  readonly description: string
  /** Net, whole minor units. Of an invoice also below 0, if the sum is not. */
  readonly amount: number
}

export type SoughtPayment = {
  readonly id: string
  readonly kind: 'page' | 'card' | 'invoice'
  readonly customer: string
  /** The payment is not older than this. */
  readonly createdAt: Date
}

export type ReturnUrls = { readonly success: string; readonly cancel: string }

export type OpenedPage = {
  readonly ref: string
  /** Null if the page is paid or over, as when an old answer was repeated: read it. */
  readonly url: string | null
  readonly expiresAt: Date
}

/**
 * `draft` is an invoice that was not finalized yet. `uncollectible` is one that was written off;
 * its customer can still pay it. `declined` is a card payment that failed and was not made void
 * yet; a page on which a card was declined stays `open`, because another card may be tried.
 * `expired` is also void and cancelled.
 */
export type PaymentState =
  | 'draft'
  | 'open'
  | 'processing'
  | 'needs_customer'
  | 'paid'
  | 'declined'
  | 'expired'
  | 'uncollectible'

export type PaymentFacts = {
  readonly ref: string
  readonly state: PaymentState
  /** Our ids, as the object carries them. Null if it has none, so it is not one of ours. */
  readonly paymentId: string | null
  readonly organizationId: string | null
  readonly customer: string | null
  /** Whether real money moves. */
  readonly live: boolean
  readonly currency: string
  readonly net: number
  readonly tax: number
  readonly total: number
  /** What the customer is asked for now: not the total if they owe or have money there besides. */
  readonly asked: number
  /** What the provider has received for it. Nothing moved there if it was paid in another way. */
  readonly received: number
  /** The page where the customer pays or confirms, as long as they can. */
  readonly url: string | null
  readonly moneyRef: string | null
  /** All of it is paid, and not through the provider: somebody noted that there. */
  readonly outside: boolean
  /** When an invoice is due; null before it is finalized, and if nobody is asked to pay. */
  readonly dueAt: Date | null
  /** The provider's invoice of this payment. */
  readonly invoiceRef: string | null
  /** The address of the receipt or invoice. It opens without signing in: do not store it. */
  readonly documentUrl: string | null
  /** The card that paid, if it was saved for later: null otherwise. */
  readonly savedCard: CardFacts | null
  /** When the money was received, if the provider says so; it matters only once it is paid. */
  readonly paidAt: Date | null
  /** The provider's word for the last decline, such as `insufficient_funds`. */
  readonly failure: string | null
}

export type CardFacts = {
  readonly ref: string
  readonly brand: string
  readonly lastFour: string
  readonly expiresMonth: number
  readonly expiresYear: number
}

export type DisputeFacts = {
  readonly ref: string
  /** In an inquiry no money has moved; one that ended without a dispute is `won`. */
  readonly state: 'inquiry' | 'open' | 'won' | 'lost'
  readonly moneyRef: string | null
  readonly currency: string
  readonly amount: number
  /** What the provider took from us so far, and what it gave back, without fees. */
  readonly withdrawn: number
  readonly returned: number
  readonly reason: string
}

/** The names are in lower case, as Node gives them. */
export type HintHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A hint says which object to read, and nothing else: whoever forged it made us read. */
export type Hint = {
  /** The same for every delivery and in the list. */
  readonly id: string
  /** The provider's word for what happened. */
  readonly type: string
  /**
   * `decline` (another card may still be tried) is counted and reported, `warning` (the bank
   * suspects fraud) pauses automatic top-up; their `ref` is no payment's. `other` is ignored. A
   * `payment` that no row has as its reference is the invoice of a page, or none of ours.
   */
  readonly about: 'payment' | 'refund' | 'dispute' | 'decline' | 'warning' | 'other'
  readonly ref: string
}

export type ListedHint = Hint & { readonly at: Date }

/** What a payment was asked for with, so that its row can be written anew if we have lost it. */
export type ListedPayment = {
  readonly ref: string
  readonly kind: 'page' | 'card' | 'invoice'
  /** Our ids, as the object carries them. Anybody with access to the account can write them. */
  readonly paymentId: string
  readonly organizationId: string
  readonly customer: string
  /** The amount without tax that we asked for. */
  readonly net: number
  /** What the provider asks for, with tax. */
  readonly total: number
  readonly saveCard: boolean
  /** The card that is charged, if it is a charge and the provider still has the card. */
  readonly card: string | null
  /** `over`: nobody has paid it, and nobody can any more. */
  readonly state: 'open' | 'paid' | 'over'
  readonly createdAt: Date
  /** Until when a page can be paid; null for a charge. */
  readonly expiresAt: Date | null
}

export type ListedReturn = {
  readonly about: 'refund' | 'dispute'
  readonly ref: string
  readonly moneyRef: string | null
}

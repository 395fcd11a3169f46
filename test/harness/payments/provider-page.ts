import type { StripeObject } from './journal.ts'
import { Refusal, type Books, type Outcome } from './provider-books.ts'
import { completeSession } from './provider-checkout.ts'
import { payInvoice } from './provider-invoices.ts'

/** Somebody presses "Pay" on the page of a session or an invoice. A second press does nothing. */
export function complete(books: Books, id: unknown, outcome: Outcome): StripeObject {
  if (!String(id).startsWith('in_')) return completeSession(books, id, outcome)
  try {
    return payInvoice(books, id, outcome)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return books.find(id)
  }
}

import type { StripeEvent, StripeObject } from './journal.ts'
import type { Outcome } from './provider-books.ts'
import { complete } from './provider-page.ts'
import { payInvoice, payOutside, voidInvoice, writeOffInvoice } from './provider-invoices.ts'
import type { Fault, ProviderState } from './scripted-provider.ts'

const DAY_SECONDS = 86_400
const RATE = 0.87

export type Order = {
  readonly id?: string
  readonly outcome?: Outcome
  readonly amount?: number
  readonly status?: 'won' | 'lost' | 'warning_closed'
  /** What somebody does with an invoice in the provider's dashboard. */
  readonly does?: 'void' | 'write-off' | 'paid'
  readonly settled?: 'succeeded' | 'failed'
  readonly pending?: boolean
  readonly inquiry?: boolean
  readonly faults?: readonly Fault[]
  readonly outcomes?: readonly Outcome[]
  readonly from?: number
  readonly days?: number
  readonly currency?: string
}

/** What the provider's side of the books says. Amounts are minor units. */
export type BookSums = {
  /** What it holds for us: paid, less refunded, less taken by disputes that were not won. */
  readonly held: number
  readonly charged: number
  readonly refunded: number
  readonly disputed: number
  /** What it took for all of that. */
  readonly fees: number
  readonly pages: number
  readonly paidPages: number
  readonly requests: number
  readonly violations: readonly string[]
  readonly faultsLeft: number
  /** How often a fault struck since its start, by when and at. */
  readonly struck: Readonly<Record<string, number>>
}

const DASHBOARD = { void: voidInvoice, 'write-off': writeOffInvoice, paid: payOutside } as const

/** Orders of a test: what customers, banks and people in the provider's dashboard do. */
export function control(state: ProviderState, path: string, order: Order): object {
  const { books, journal } = state
  const done = <Result extends object>(result: Result): Result => {
    journal.commit()
    return result
  }
  switch (path) {
    case '/scripted/complete':
      return done(complete(books, order.id, order.outcome ?? 'ok'))
    case '/scripted/invoice':
      return done(DASHBOARD[order.does ?? 'paid'](books, order.id))
    case '/scripted/delete-customer':
      journal.note({ put: { id: order.id ?? '', object: 'customer', deleted: true } })
      return done({})
    case '/scripted/balance':
      return done(books.change(books.find(order.id), { balance: order.amount ?? 0 }))
    case '/scripted/confirm':
      return done(payInvoice(books, order.id, 'ok'))
    case '/scripted/refund':
      return done(
        books.refund(order.id, order.amount ?? null, {}, order.pending ? 'pending' : 'succeeded'),
      )
    case '/scripted/settle-refund':
      return done(books.settleRefund(order.id, order.settled ?? 'succeeded'))
    case '/scripted/pend-refunds':
      state.refundsPend = order.pending ?? false
      return {}
    case '/scripted/dispute':
      return done(books.openDispute(order.id, order.inquiry ?? false))
    case '/scripted/escalate':
      return done(books.escalate(order.id))
    case '/scripted/warn':
      return done(books.warn(order.id))
    case '/scripted/close-dispute':
      return done(books.closeDispute(order.id, order.status ?? 'lost'))
    case '/scripted/age-money':
      return done(ageMoney(state, order.days ?? 0))
    case '/scripted/settle-in':
      return done(settleIn(state, order.currency ?? 'eur'))
    case '/scripted/faults':
      state.faults.splice(0, state.faults.length, ...(order.faults ?? []))
      state.outcomes.push(...(order.outcomes ?? []))
      return {}
    case '/scripted/events':
      return { events: journal.events.slice(order.from ?? 0) satisfies StripeEvent[] }
    case '/scripted/objects':
      return { objects: [...journal.objects.values()] satisfies StripeObject[] }
    case '/scripted/sums':
      return sumsOf(state)
    default:
      throw new Error(`no such order: ${path}`)
  }
}

function movementsOf({ journal }: ProviderState): StripeObject[] {
  return [...journal.objects.values()].filter(({ object }) => object === 'balance_transaction')
}

/** As if all money had moved so many days earlier. */
function ageMoney(state: ProviderState, days: number): object {
  for (const line of movementsOf(state))
    state.books.change(line, { created: Number(line['created']) - days * DAY_SECONDS })
  return {}
}

/** As if the account had another currency than its customers pay in. */
function settleIn(state: ProviderState, currency: string): object {
  for (const line of movementsOf(state)) {
    const amount = Math.round(Number(line['amount']) * RATE)
    const fee = Math.round(Number(line['fee']) * RATE)
    state.books.change(line, { amount, fee, net: amount - fee, currency, exchange_rate: RATE })
  }
  return {}
}

function sumsOf({ journal, requests, violations, faults, struck }: ProviderState): BookSums {
  const all = [...journal.objects.values()]
  const sum = (kind: string, amountOf: (object: StripeObject) => number) =>
    all.filter(({ object }) => object === kind).reduce((total, each) => total + amountOf(each), 0)
  const amount = (object: StripeObject) => Number(object['amount'])
  const charged = sum('charge', (each) => (each['paid'] === true ? amount(each) : 0))
  const refunded = sum('refund', (each) => (each['status'] === 'succeeded' ? amount(each) : 0))
  const disputed = sum('dispute', (each) => {
    const moved = each['balance_transactions'] as { amount: number }[]
    return -moved.reduce((total, line) => total + line.amount, 0)
  })
  const isPaid = (each: StripeObject) => (each['payment_status'] === 'paid' ? 1 : 0)
  return {
    held: charged - refunded - disputed,
    charged,
    refunded,
    disputed,
    fees: sum('balance_transaction', (each) => Number(each['fee'])),
    requests,
    violations,
    pages: sum('checkout.session', () => 1),
    paidPages: sum('checkout.session', isPaid),
    faultsLeft: faults.length,
    struck: Object.fromEntries(struck),
  }
}

import type { StripeObject } from './journal.ts'
import { Refusal, type Books, type Outcome } from './provider-books.ts'
import { expireSession, metadataOf, openSession } from './provider-checkout.ts'
import * as invoices from './provider-invoices.ts'

type Call = {
  readonly books: Books
  readonly form: URLSearchParams
  /** What the path names, if it names an object. */
  readonly id: string
  readonly pageRoot: string
  readonly nextOutcome: () => Outcome
  /** Whether the bank is slow with refunds. */
  readonly refundsPend: boolean
}

type Route = readonly [method: string, path: RegExp, run: (call: Call) => object]

const LISTED = [
  'checkout/sessions',
  'invoices',
  'refunds',
  'disputes',
  'charges',
  'payment_intents',
  'customers',
  'radar/early_fraud_warnings',
].join('|')

const ROUTES: readonly Route[] = [
  [
    'POST',
    /^customers$/,
    ({ books, form }) =>
      books.make('customer', 'cus', {
        name: form.get('name'),
        email: form.get('email'),
        balance: 0,
        metadata: metadataOf(form),
      }),
  ],
  [
    'POST',
    /^customers\/([^/]+)$/,
    ({ books, form, id }) =>
      books.change(books.findCustomer(id, 'id'), { email: form.get('email') }),
  ],
  [
    'POST',
    /^checkout\/sessions$/,
    ({ books, form, pageRoot }) => openSession(books, form, pageRoot),
  ],
  ['POST', /^checkout\/sessions\/([^/]+)\/expire$/, ({ books, id }) => expireSession(books, id)],
  ['POST', /^invoices$/, ({ books, form }) => invoices.createInvoice(books, form)],
  ['POST', /^invoiceitems$/, ({ books, form }) => invoices.addItem(books, form)],
  [
    'POST',
    /^invoices\/([^/]+)\/finalize$/,
    ({ books, id, pageRoot }) => invoices.finalizeInvoice(books, id, pageRoot),
  ],
  [
    'POST',
    /^invoices\/([^/]+)\/pay$/,
    ({ books, form, id, nextOutcome }) =>
      form.get('paid_out_of_band') === 'true'
        ? invoices.payOutside(books, id)
        : invoices.payInvoice(books, id, nextOutcome()),
  ],
  [
    'POST',
    /^invoices\/([^/]+)\/mark_uncollectible$/,
    ({ books, id }) => invoices.writeOffInvoice(books, id),
  ],
  ['POST', /^invoices\/([^/]+)\/void$/, ({ books, id }) => invoices.voidInvoice(books, id)],
  [
    'POST',
    /^payment_intents\/([^/]+)$/,
    ({ books, form, id }) => books.change(books.find(id), { metadata: metadataOf(form) }),
  ],
  ['DELETE', /^invoices\/([^/]+)$/, ({ books, id }) => invoices.deleteInvoice(books, id)],
  ['POST', /^credit_notes$/, ({ books, form }) => invoices.createCreditNote(books, form)],
  [
    'POST',
    /^refunds$/,
    ({ books, form, refundsPend }) => {
      const amount = form.get('amount')
      const wanted = amount === null ? null : Number(amount)
      const status = refundsPend ? 'pending' : 'succeeded'
      return books.refund(form.get('payment_intent'), wanted, metadataOf(form), status)
    },
  ],
  [
    'POST',
    /^billing_portal\/sessions$/,
    ({ books, form, pageRoot }) => {
      const customer = books.findCustomer(form.get('customer')).id
      const url = `${pageRoot}/portal/${customer}`
      return books.make('billing_portal.session', 'bps', { customer, url })
    },
  ],
  [
    'GET',
    /^account$/,
    () => ({
      id: 'acct_scripted',
      object: 'account',
      charges_enabled: true,
      default_currency: 'usd',
    }),
  ],
  ['GET', /^balance$/, () => ({ object: 'balance', livemode: false })],
  ['GET', /^events$/, ({ books, form }) => listEvents(books, form)],
  [
    'GET',
    /^balance_transactions$/,
    ({ books, form }) => page(ofKind(books, 'balance_transaction'), form),
  ],
  [
    'GET',
    /^checkout\/sessions$/,
    ({ books, form }) => pageOfCustomer(books, 'checkout.session', form),
  ],
  ['GET', /^credit_notes$/, ({ books, form }) => page(ofKind(books, 'credit_note'), form)],
  ['GET', /^invoices$/, ({ books, form }) => pageOfCustomer(books, 'invoice', form)],
  ['GET', /^refunds$/, ({ books, form }) => page(ofKind(books, 'refund'), form)],
  ['GET', /^disputes$/, ({ books, form }) => page(ofKind(books, 'dispute'), form)],
  ['GET', new RegExp(`^(?:${LISTED})/([^/]+)$`), ({ books, id }) => books.find(id)],
]

/** Undefined if no script answers this request. */
export function runRoute(method: string, path: string, call: Omit<Call, 'id'>): object | undefined {
  for (const [wanted, pattern, run] of ROUTES) {
    const parts = wanted === method ? pattern.exec(path.replace(/^\/v1\//, '')) : null
    if (parts !== null)
      return expand(
        call.books,
        run({ ...call, id: parts[1] ?? '' }),
        call.form.getAll('expand[]').concat(indexed(call.form, 'expand')),
      )
  }
  return undefined
}

function ofKind(books: Books, kind: string): StripeObject[] {
  return [...books.journal.objects.values()].filter(({ object }) => object === kind)
}

function listEvents(books: Books, form: URLSearchParams): object {
  const types = new Set(indexed(form, 'types'))
  return page(
    books.journal.events.filter(({ type }) => types.size === 0 || types.has(type)),
    form,
  )
}

function pageOfCustomer(books: Books, kind: string, form: URLSearchParams): object {
  if (form.has('customer')) books.findCustomer(form.get('customer'))
  return page(ofKind(books, kind), form)
}

/** Newest first, at most `limit`, as all lists of Stripe. */
function page(items: readonly { id: string; [field: string]: unknown }[], form: URLSearchParams) {
  const bound = (name: string, otherwise: number) =>
    Number(form.get(`created[${name}]`) ?? otherwise)
  const named = ['customer', 'payment_intent', 'invoice'].filter((name) => form.has(name))
  const matching = items
    .filter(({ created }) => Number(created) >= bound('gte', 0))
    .filter(({ created }) => Number(created) < bound('lt', Number.MAX_SAFE_INTEGER))
    .filter((item) => named.every((name) => item[name] === form.get(name)))
    .toReversed()
  const after = form.get('starting_after')
  const from = after === null ? 0 : matching.findIndex(({ id }) => id === after) + 1
  const limit = Number(form.get('limit') ?? 10)
  const data = matching.slice(from, from + limit)
  return { object: 'list', data, has_more: from + limit < matching.length }
}

function indexed(form: URLSearchParams, name: string): string[] {
  return [...form].flatMap(([key, value]) => (key.startsWith(`${name}[`) ? [value] : []))
}

/** Puts objects in the place of their ids, along `a.b.c`; `data` goes into each item of a list. */
function expand(books: Books, answer: object, paths: readonly string[]): object {
  const copy = structuredClone(answer) as Record<string, unknown>
  for (const path of paths) expandAlong(books, copy, path.split('.'))
  return copy
}

function expandAlong(books: Books, value: Record<string, unknown>, path: readonly string[]): void {
  const [name, ...rest] = path
  if (name === undefined) return
  const member = value[name]
  if (Array.isArray(member)) {
    for (const item of member) expandAlong(books, item as Record<string, unknown>, rest)
    return
  }
  if (typeof member === 'string')
    value[name] = structuredClone(books.journal.objects.get(member)) ?? member
  const next = value[name]
  if (typeof next === 'object' && next !== null)
    expandAlong(books, next as Record<string, unknown>, rest)
}

export function notScripted(method: string, path: string): Refusal {
  return new Refusal(501, `not scripted: ${method} ${path}`)
}

import { randomBytes } from 'node:crypto'
import { emptyObject } from './base-object.ts'
import type { Journal, StripeObject } from './journal.ts'

/** An answer that is an error of Stripe's. `kept`: it is saved under the key, as a decline is. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly kept: boolean
  readonly error: object

  constructor(status: number, message: string, code?: string, more: object = {}) {
    super(message)
    this.status = status
    // Whether a customer is there is not known before the request is carried out.
    this.kept = status === 402 || (more as { param?: string }).param === 'customer'
    const type = status === 402 ? 'card_error' : 'invalid_request_error'
    this.error = { type, code, message, ...more }
  }
}

export type Money = {
  readonly amount: number
  readonly currency: unknown
  readonly customer: unknown
  readonly metadata: unknown
  readonly saveCard: boolean
}

export type Outcome = 'ok' | 'declined' | 'insufficient_funds' | 'authentication_required'

/** Fee of a dispute, and of a charge beside 2.9 % of it, in minor units. */
const DISPUTE_FEE = 1500
const CHARGE_FEE = 30
const CHARGE_FEE_SHARE = 0.029

export type Books = ReturnType<typeof createBooks>

/** Objects and events of the provider, and the rules by which money moves. */
export function createBooks(journal: Journal) {
  const objects = createObjects(journal)
  return {
    journal,
    ...objects,
    ...createCharges(objects),
    ...createRefunds(objects),
    ...createDisputes(objects),
  }
}

type Objects = ReturnType<typeof createObjects>

function createObjects(journal: Journal) {
  const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
  const nowSeconds = () => Math.floor(Date.now() / 1000)

  const find = (id: unknown): StripeObject => {
    const object = journal.objects.get(String(id))
    if (object === undefined)
      throw new Refusal(404, `No such object: ${String(id)}`, 'resource_missing')
    return object
  }

  /** Of a deleted customer there is only left that it was deleted. */
  const findCustomer = (id: unknown, param = 'customer'): StripeObject => {
    const customer = journal.objects.get(String(id))
    if (customer !== undefined && customer['deleted'] !== true) return customer
    throw new Refusal(404, `No such customer: '${String(id)}'`, 'resource_missing', { param })
  }

  /** Only fields that Stripe's object has may be set: a script that invents one is wrong. */
  const change = (object: Record<string, unknown>, changes: Record<string, unknown>) => {
    for (const name of Object.keys(changes))
      if (!(name in object)) throw new Error(`${String(object['object'])} has no field ${name}`)
    const changed = { ...object, ...changes } as StripeObject
    journal.note({ put: changed })
    return changed
  }

  const make = (object: string, prefix: string, fields: Record<string, unknown>) => {
    const base = emptyObject(object)
    const more = {
      ...('livemode' in base && { livemode: false }),
      ...('metadata' in base && { metadata: {} }),
      ...('created' in base && { created: nowSeconds() }),
    }
    return change(base, { id: newId(prefix), ...more, ...fields })
  }

  const emit = (type: string, object: StripeObject) => {
    journal.note({
      event: {
        id: newId('evt'),
        object: 'event',
        api_version: null,
        created: nowSeconds(),
        livemode: false,
        type,
        data: { object: structuredClone(object) },
      },
    })
  }

  const move = (category: string, amount: number, fee: number, source: StripeObject) =>
    make('balance_transaction', 'txn', {
      reporting_category: category,
      type: category,
      amount,
      fee,
      net: amount - fee,
      currency: source['currency'],
      source: source.id,
      status: 'available',
    })

  return { find, findCustomer, make, change, emit, move, nowSeconds }
}

function createCharges({ make, change, emit, move }: Objects) {
  /** The intent to take an amount, which no card was charged for yet. */
  const intend = ({ saveCard, ...owned }: Money): StripeObject =>
    make('payment_intent', 'pi', {
      ...owned,
      amount_received: 0,
      setup_future_usage: saveCard ? 'off_session' : null,
      status: 'requires_payment_method',
    })

  /** Charges a card. The intent that it returns says how it went. Charges get its metadata. */
  const pay = (wanted: StripeObject, outcome: Outcome): StripeObject => {
    const { customer, currency, metadata } = wanted
    const amount = Number(wanted['amount'])
    const card = make('payment_method', 'pm', {
      type: 'card',
      customer: wanted['setup_future_usage'] === null ? null : customer,
      card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2032 },
    })
    const paid = outcome === 'ok'
    const intent = change(wanted, {
      amount_received: paid ? amount : 0,
      payment_method: paid ? card.id : null,
      status: statusAfter(outcome),
      last_payment_error: paid ? null : { type: 'card_error', ...codesOf(outcome) },
    })
    const charge = make('charge', 'ch', {
      amount,
      customer,
      currency,
      metadata,
      payment_intent: intent.id,
      paid,
      captured: paid,
      amount_captured: paid ? amount : 0,
      amount_refunded: 0,
      refunded: false,
      disputed: false,
      status: paid ? 'succeeded' : 'failed',
      receipt_url: `https://pay.stripe.example/receipts/${intent.id}`,
    })
    if (paid) {
      const fee = Math.round(amount * CHARGE_FEE_SHARE) + CHARGE_FEE
      change(charge, { balance_transaction: move('charge', amount, fee, charge).id })
    }
    const made = change(intent, { latest_charge: charge.id })
    emit(paid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', made)
    return made
  }

  return { intend, pay }
}

function createRefunds({ find, make, change, emit, move }: Objects) {
  /** A bank that is slow leaves it `pending`: no money has moved until it is settled. */
  const refund = (
    intentId: unknown,
    wanted: number | null,
    metadata: unknown,
    status: 'succeeded' | 'pending' = 'succeeded',
  ): StripeObject => {
    const intent = find(intentId)
    const charge = find(intent['latest_charge'])
    const left = Number(charge['amount']) - Number(charge['amount_refunded'])
    const amount = wanted ?? left
    if (charge['paid'] !== true || charge['disputed'] === true)
      throw new Refusal(400, 'This charge cannot be refunded.', 'charge_disputed')
    if (amount > left || amount <= 0)
      throw new Refusal(400, 'Refund is greater than what is left.', 'charge_already_refunded')
    const amount_refunded = Number(charge['amount_refunded']) + amount
    change(charge, { amount_refunded, refunded: amount === left })
    const made = make('refund', 're', {
      amount,
      currency: charge['currency'],
      charge: charge.id,
      payment_intent: intent.id,
      status,
      metadata,
    })
    const paid = () => ({ balance_transaction: move('refund', -amount, 0, made).id })
    const noted = status === 'pending' ? made : change(made, paid())
    emit('refund.created', noted)
    return noted
  }

  /** What a bank says of it later; one that had the money may send it back. */
  const settleRefund = (id: unknown, status: 'succeeded' | 'failed'): StripeObject => {
    const made = find(id)
    const [before, amount] = [made['status'], Number(made['amount'])]
    if (before === 'failed' || before === status) return made
    if (status === 'succeeded') {
      const balance_transaction = move('refund', -amount, 0, made).id
      const settled = change(made, { status, balance_transaction })
      emit('refund.updated', settled)
      return settled
    }
    const charge = find(made['charge'])
    const amount_refunded = Number(charge['amount_refunded']) - amount
    change(charge, { amount_refunded, refunded: false })
    if (before === 'succeeded') move('refund_failure', amount, 0, made)
    const failed = change(made, { status })
    emit('refund.failed', failed)
    return failed
  }

  return { refund, settleRefund }
}

function createDisputes({ find, make, change, emit, move }: Objects) {
  const openDispute = (intentId: unknown, inquiry: boolean): StripeObject => {
    const charge = find(find(intentId)['latest_charge'])
    const { amount, currency } = charge
    change(charge, { disputed: true })
    const made = make('dispute', 'dp', {
      amount,
      currency,
      charge: charge.id,
      payment_intent: intentId,
      reason: 'fraudulent',
      status: inquiry ? 'warning_needs_response' : 'needs_response',
      balance_transactions: [],
    })
    emit('charge.dispute.created', made)
    return inquiry ? made : withdraw(made)
  }

  const withdraw = (dispute: StripeObject) => {
    const line = move('dispute', -Number(dispute['amount']), DISPUTE_FEE, dispute)
    const taken = change(dispute, { status: 'needs_response', balance_transactions: [line] })
    emit('charge.dispute.funds_withdrawn', taken)
    return taken
  }

  /** The bank was not content with the answer to its inquiry, and takes the money. */
  const escalate = (id: unknown): StripeObject => withdraw(find(id))

  const closeDispute = (id: unknown, status: 'won' | 'lost' | 'warning_closed'): StripeObject => {
    const dispute = find(id)
    // Whoever decides by an old list decides again: its money moves once.
    if (!String(dispute['status']).endsWith('needs_response')) return dispute
    const lines = dispute['balance_transactions'] as object[]
    const back = status === 'won' && lines.length > 0
    const amount = Number(dispute['amount'])
    // The fee comes back with the money, as in some countries.
    const more = back ? [move('dispute_reversal', amount, -DISPUTE_FEE, dispute)] : []
    const closed = change(dispute, { status, balance_transactions: [...lines, ...more] })
    if (back) emit('charge.dispute.funds_reinstated', closed)
    emit('charge.dispute.closed', closed)
    return closed
  }

  /** No money moves: the bank only says what it suspects. */
  const warn = (intentId: unknown): StripeObject => {
    const charge = find(intentId)['latest_charge']
    const made = make('radar.early_fraud_warning', 'issfr', {
      charge,
      actionable: true,
      fraud_type: 'unauthorized_use_of_card',
    })
    emit('radar.early_fraud_warning.created', made)
    return made
  }

  return { openDispute, escalate, closeDispute, warn }
}

function statusAfter(outcome: Outcome): string {
  if (outcome === 'ok') return 'succeeded'
  return outcome === 'authentication_required' ? 'requires_action' : 'requires_payment_method'
}

function codesOf(outcome: Outcome): { code: string; decline_code: string | null } {
  if (outcome === 'authentication_required') return { code: outcome, decline_code: null }
  const decline_code = outcome === 'declined' ? 'generic_decline' : outcome
  return { code: 'card_declined', decline_code }
}

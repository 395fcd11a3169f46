import { DAY_MS } from '../../lib/time.ts'
import type { MoneyLine } from '../money-line.ts'
import type { ListedHint } from '../provider.ts'
import { Event, idOf, MoneyTransaction } from './answers.ts'
import { listAll } from './requests/list-all.ts'
import { EVENT_TYPES, hintOf } from './read-hint.ts'
import { toMicro } from './read-payment.ts'
import type { Send } from './requests/send-request.ts'

export async function* listHints(send: Send, since: Date): AsyncGenerator<ListedHint, void> {
  const form = { created: { gte: secondsOf(since) }, types: EVENT_TYPES }
  for await (const event of listAll(send, '/v1/events', form, Event))
    yield { ...hintOf(event), at: timeOf(event.created) }
}

export async function* listMoney(send: Send, day: string): AsyncGenerator<MoneyLine, void> {
  const from = new Date(`${day}T00:00:00Z`)
  const to = new Date(from.getTime() + DAY_MS)
  const form = { created: { gte: secondsOf(from), lt: secondsOf(to) }, expand: ['data.source'] }
  for await (const line of listAll(send, '/v1/balance_transactions', form, MoneyTransaction))
    yield {
      ref: line.id,
      kind: kindOf(line.reporting_category),
      ...movedBy(line),
      fee: toMicro(line.currency, line.fee),
      feeCurrency: line.currency.toUpperCase(),
      ...ownerOf(line),
      at: timeOf(line.created),
    }
}

/**
 * Lines are in the currency of the account. Where the customer paid in another one, the object says
 * how much it was, because no rate gives the amount back to the cent.
 */
function movedBy({ amount, currency, source }: MoneyTransaction) {
  const { amount: own, currency: ownCurrency } = source ?? {}
  if (typeof own !== 'number' || typeof ownCurrency !== 'string' || ownCurrency === currency)
    return { amount: toMicro(currency, amount), currency: currency.toUpperCase() }
  const moved = Math.sign(amount) * Math.abs(own)
  return { amount: toMicro(ownCurrency, moved), currency: ownCurrency.toUpperCase() }
}

function kindOf(category: string): MoneyLine['kind'] {
  if (category === 'charge' || category === 'refund' || category === 'fee') return category
  if (category === 'payout' || category === 'dispute') return category
  if (category === 'dispute_reversal') return 'dispute'
  return category === 'refund_failure' ? 'refund' : 'other'
}

function ownerOf({ source }: MoneyTransaction) {
  const moneyRef = idOf(source?.payment_intent)
  const isCharge = source?.object === 'charge'
  return {
    source: isCharge ? moneyRef : (source?.id ?? null),
    moneyRef,
    paymentId: (isCharge && source.metadata?.['payment_id']) || null,
    organizationId: (isCharge && source.metadata?.['organization_id']) || null,
  }
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** Snapshot events and transactions have seconds, thin events a text. */
function timeOf(created: number | string): Date {
  return new Date(typeof created === 'number' ? created * 1000 : created)
}

import type { Static } from 'typebox'
import { DAY_MS } from '../../lib/time.ts'
import type { ListedHint, MoneyLine } from '../provider.ts'
import { Event, idOf, MoneyTransaction } from './answers.ts'
import { listAll } from './list-all.ts'
import { EVENT_TYPES, hintOf } from './read-hint.ts'
import { toMicro } from './read-payment.ts'
import type { Send } from './send-request.ts'

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
      amount: toMicro(line.currency, line.amount),
      fee: toMicro(line.currency, line.fee),
      currency: line.currency.toUpperCase(),
      source: sourceOf(line),
      at: timeOf(line.created),
    }
}

function kindOf(category: string): MoneyLine['kind'] {
  if (category === 'charge' || category === 'refund' || category === 'fee') return category
  if (category === 'payout' || category === 'dispute') return category
  if (category === 'dispute_reversal') return 'dispute'
  return category === 'refund_failure' ? 'refund' : 'other'
}

function sourceOf({ source }: Static<typeof MoneyTransaction>): string | null {
  return source?.object === 'charge' ? idOf(source.payment_intent) : (source?.id ?? null)
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** Snapshot events and transactions have seconds, thin events a text. */
function timeOf(created: number | string): Date {
  return new Date(typeof created === 'number' ? created * 1000 : created)
}

import { Check } from 'typebox/schema'
import { parseJson } from '../../lib/parse-json.ts'
import type { Hint, HintHeaders } from '../provider.ts'
import { Event } from './answers.ts'
import { verifySignature } from './verify-signature.ts'

/** The types that we ask for in Stripe's list, which takes 20 of them. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'payment_intent.payment_failed',
  'radar.early_fraud_warning.created',
] as const

export const PAID_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'invoice.paid',
] as const

const ABOUT: ReadonlyMap<string, Hint['about']> = new Map([
  ['checkout.session', 'payment'],
  ['invoice', 'payment'],
  ['refund', 'refund'],
  ['dispute', 'dispute'],
  ['radar.early_fraud_warning', 'warning'],
])

/** Null if the delivery is forged, replayed or no event. */
export function readHint(
  raw: Buffer,
  headers: HintHeaders,
  secrets: readonly string[],
  nowMs: number,
): Hint | null {
  const signature = headers['stripe-signature']
  if (typeof signature !== 'string' || !verifySignature(raw, signature, secrets, nowMs)) return null
  const event = parseJson(raw)
  return event.ok && Check(Event, event.value) ? hintOf(event.value) : null
}

export function hintOf({ id, type, data, related_object: related }: Event): Hint {
  const object = related?.type ?? data?.object?.object ?? ''
  const ref = related?.id ?? data?.object?.id ?? ''
  const about = type.endsWith('payment_intent.payment_failed') ? 'decline' : ABOUT.get(object)
  return { id, type, about: ref === '' ? 'other' : (about ?? 'other'), ref }
}

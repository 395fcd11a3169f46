import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { FORGERIES, signEvent } from '../../../test/harness/payments/deliver-webhooks.ts'
import type { StripeEvent } from '../../../test/harness/payments/journal.ts'
import { EVENT_TYPES, readHint } from './read-hint.ts'
import { API_VERSION } from './requests/send-request.ts'

const SECRET = 'whsec_0123456789abcdefghij'
const OTHER = 'whsec_zyxwvutsrqponmlkjihg'
const NOW_MS = 1_790_000_000_000
const EVENT: StripeEvent = {
  id: 'evt_1',
  object: 'event',
  type: 'checkout.session.completed',
  created: 1_790_000_000,
  data: { object: { id: 'cs_1', object: 'checkout.session', name: 'Zoë 🚰' } },
}
const HINT = { id: 'evt_1', type: 'checkout.session.completed', about: 'payment', ref: 'cs_1' }

type Kind = readonly [name: string, raw: Buffer, signature: string | undefined]

function kindsOfDelivery(): Kind[] {
  const nowSeconds = NOW_MS / 1000
  const signed = (secret = SECRET, seconds = nowSeconds, event: object = EVENT) => {
    const { raw, headers } = signEvent(event, { secret, nowSeconds: seconds })
    return [raw, headers['stripe-signature'] ?? ''] as const
  }
  const [raw, signature] = signed()
  const value = signature.split('v1=')[1] ?? ''
  const sha1 = createHmac('sha1', SECRET).update(`${nowSeconds}.`).update(raw).digest('hex')
  return [
    ['right', raw, signature],
    ['299 s old', ...signed(SECRET, nowSeconds - 299)],
    ['301 s old', ...signed(SECRET, nowSeconds - 301)],
    ['299 s ahead', ...signed(SECRET, nowSeconds + 299)],
    ['another secret', ...signed(OTHER)],
    ['an empty secret', ...signed('')],
    ['two signatures, the second right', raw, `t=${nowSeconds},v1=${'0'.repeat(64)},v1=${value}`],
    ['an old scheme beside it', raw, `${signature},v0=${sha1}`],
    ['only an old scheme', raw, `t=${nowSeconds},v0=${value}`],
    ['a changed body', Buffer.from(raw.toString('utf8').replace('cs_1', 'cs_2')), signature],
    ['the same JSON with another space', Buffer.concat([raw, Buffer.from(' ')]), signature],
    ['a changed time', raw, signature.replace(String(nowSeconds), String(nowSeconds - 1))],
    ['no time', raw, `v1=${value}`],
    ['a time that is no number', raw, `t=now,v1=${value}`],
    ['half a signature', raw, signature.slice(0, -32)],
    ['capital letters', raw, `t=${nowSeconds},v1=${value.toUpperCase()}`],
    ['no signature', raw, undefined],
    ['an empty header', raw, ''],
    ['an empty body', Buffer.alloc(0), signature],
  ]
}

/** What the `stripe` package says, at the same time of day. */
function isGenuine(raw: Buffer, signature: string | undefined): boolean {
  try {
    Stripe.webhooks.constructEvent(raw, signature ?? '', SECRET, 300, undefined, NOW_MS)
    return true
  } catch {
    return false
  }
}

test("our check agrees with Stripe's package on each kind of delivery", () => {
  let genuine = 0
  for (const [name, raw, signature] of kindsOfDelivery()) {
    const hint = readHint(raw, { 'stripe-signature': signature }, [SECRET], NOW_MS)
    assert.equal(hint !== null, isGenuine(raw, signature), name)
    if (hint === null) continue
    genuine += 1
    assert.deepEqual(hint, HINT, name)
  }
  assert.equal(genuine, 5)
})

test('a time far ahead of the clock is refused: it would stay valid for longer', () => {
  const { raw, headers } = signEvent(EVENT, { secret: SECRET, nowSeconds: NOW_MS / 1000 + 301 })
  assert.equal(readHint(raw, headers, [SECRET], NOW_MS), null)
  assert.equal(isGenuine(raw, headers['stripe-signature']), true, 'the package accepts it')
})

test('while secrets are exchanged both are valid; an empty or short one never is', () => {
  const accepts = (signing: string, ...secrets: string[]) => {
    const { raw, headers } = signEvent(EVENT, { secret: signing, nowSeconds: NOW_MS / 1000 })
    return readHint(raw, headers, secrets, NOW_MS) !== null
  }
  assert.ok(accepts(SECRET, SECRET, OTHER) && accepts(OTHER, SECRET, OTHER))
  assert.ok(!accepts(OTHER, SECRET))
  for (const weak of ['', 'whsec_', 'whsec_short', 'sk_0123456789abcdefghij'])
    assert.ok(!accepts(weak, weak), weak)
  assert.ok(!accepts(SECRET))
})

test('forgeries are refused', () => {
  for (const [name, forge] of Object.entries(FORGERIES)) {
    const { raw, headers } = forge(EVENT, SECRET)
    assert.equal(readHint(raw, headers, [SECRET], Date.now()), null, name)
  }
  assert.ok(Object.keys(FORGERIES).length >= 5)
})

function read(event: object) {
  const { raw, headers } = signEvent(event, { secret: SECRET, nowSeconds: NOW_MS / 1000 })
  return readHint(raw, headers, [SECRET], NOW_MS)
}

test('a hint says what to read, from whole and from thin events', () => {
  const about = (type: string, object: string) =>
    read({ ...EVENT, type, data: { object: { id: 'x_1', object } } })?.about
  assert.equal(about('invoice.paid', 'invoice'), 'payment')
  assert.equal(about('refund.failed', 'refund'), 'refund')
  assert.equal(about('charge.dispute.closed', 'dispute'), 'dispute')
  assert.equal(about('payment_intent.payment_failed', 'payment_intent'), 'decline')
  assert.equal(about('radar.early_fraud_warning.created', 'radar.early_fraud_warning'), 'warning')
  assert.equal(about('customer.created', 'customer'), 'other')
  const related_object = { id: 'cs_1', type: 'checkout.session', url: '/v1/checkout/sessions/cs_1' }
  const { data: _, ...thin } = { ...EVENT, created: '2026-11-18T10:00:00Z', related_object }
  assert.deepEqual(read(thin), HINT)
})

test('what is signed and no event is no hint', () => {
  assert.equal(read({ id: 'evt_1' }), null)
  assert.equal(read([]), null)
  assert.equal(read({ ...EVENT, data: undefined })?.about, 'other')
})

test("the version in our requests is the package's, and its list takes 20 types", () => {
  assert.equal(API_VERSION, Stripe.API_VERSION)
  assert.ok(EVENT_TYPES.length <= 20)
})

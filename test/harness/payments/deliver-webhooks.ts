import { createHmac } from 'node:crypto'
import type { StripeEvent } from './journal.ts'

export type Delivery = { readonly raw: Buffer; readonly headers: Record<string, string> }

export type SigningOptions = {
  readonly secret: string
  readonly nowSeconds?: number
}

/** A webhook as Stripe signs it. */
export function signEvent(event: object, { secret, nowSeconds }: SigningOptions): Delivery {
  const time = nowSeconds ?? Math.floor(Date.now() / 1000)
  const raw = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex')
  return {
    raw,
    headers: {
      'content-type': 'application/json',
      'stripe-signature': `t=${time},v1=${signature}`,
    },
  }
}

const OLD_SECONDS = 3_600

/** Ways to forge a webhook. None may be accepted. */
export const FORGERIES: Readonly<Record<string, (event: StripeEvent, secret: string) => Delivery>> =
  {
    'another secret': (event) => signEvent(event, { secret: 'whsec_another_0123456789abcdef' }),
    'an empty secret': (event) => signEvent(event, { secret: '' }),
    'an old delivery': (event, secret) =>
      signEvent(event, { secret, nowSeconds: Math.floor(Date.now() / 1000) - OLD_SECONDS }),
    'another body': (event, secret) => {
      const { headers } = signEvent(event, { secret })
      return { headers, raw: Buffer.from(JSON.stringify({ ...event, id: 'evt_forged' })) }
    },
    'no signature': (event) => ({
      raw: Buffer.from(JSON.stringify(event)),
      headers: { 'content-type': 'application/json' },
    }),
    'a time without signature': (event) => ({
      raw: Buffer.from(JSON.stringify(event)),
      headers: { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=` },
    }),
  }

/** The status of the answer; 0 if there was none. */
export async function deliver(url: string, { raw, headers }: Delivery): Promise<number> {
  const sent = fetch(url, { method: 'POST', headers, body: raw, redirect: 'manual' })
  const response = await sent.catch(() => undefined)
  await response?.body?.cancel()
  return response?.status ?? 0
}

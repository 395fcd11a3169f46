import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../harness/figures/random.ts'
import { deliver, FORGERIES, signEvent } from '../../harness/payments/deliver-webhooks.ts'
import type { StripeEvent } from '../../harness/payments/journal.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import type { Roots } from './shop.ts'

export type Deliveries = {
  lost: number
  delivered: number
  repeated: number
  delayed: number
  forged: number
  forgedAccepted: number
}

const LOST = 0.3
const TRIPLED = 0.3
const DELAYED = 0.2
const FORGED = 0.05
const EVERY_MS = 200
/** As often as a webhook is sent again when nobody took it. */
const ATTEMPTS = 3

/**
 * Carries events from the provider to the console until told to stop, as badly as a network can:
 * some are lost, some come three times, late or in another order, and somebody forges more.
 */
export async function deliverBadly(
  provider: ProviderControl,
  roots: Roots,
  secret: string,
  random: Random,
  isOver: () => boolean,
): Promise<Deliveries> {
  const count = { lost: 0, delivered: 0, repeated: 0, delayed: 0, forged: 0, forgedAccepted: 0 }
  let told = 0
  let waiting: StripeEvent[] = []
  const hook = () => `${new URL(roots()).origin}/hooks/stripe`
  while (!isOver()) {
    const fresh = await provider.events(told).catch(() => [])
    told += fresh.length
    const now: StripeEvent[] = waiting
    waiting = []
    for (const event of fresh) {
      const isLost = random.chance(LOST)
      const copies = random.chance(TRIPLED) ? 3 : 1
      if (isLost) count.lost += 1
      else if (random.chance(DELAYED)) waiting.push(event)
      else now.push(...Array.from({ length: copies }, () => event))
      if (!isLost && copies > 1) count.repeated += 1
      if (random.chance(FORGED)) await forge(event, hook, secret, random, count)
    }
    count.delayed += waiting.length
    const shuffled = now.toSorted(() => random.between(0, 1) - 0.5)
    for (const event of shuffled) if (await send(event, hook, secret)) count.delivered += 1
    // pacing: webhooks come in bursts.
    await pause(EVERY_MS)
  }
  return count
}

async function send(event: StripeEvent, hook: () => string, secret: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1)
    if ((await deliver(hook(), signEvent(event, { secret }))) === 200) return true
  return false
}

async function forge(
  event: StripeEvent,
  hook: () => string,
  secret: string,
  random: Random,
  count: Deliveries,
): Promise<void> {
  const way = random.pick(Object.values(FORGERIES))
  // Of an event that nobody has delivered: it would be seen if it were taken.
  const invented = { ...event, id: `evt_forged_${crypto.randomUUID()}` }
  const status = await deliver(hook(), way(invented, secret))
  if (status === 0) return
  count.forged += 1
  if (status !== 400) count.forgedAccepted += 1
}

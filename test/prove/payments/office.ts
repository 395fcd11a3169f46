import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../harness/environment.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { StripeObject } from '../../harness/payments/journal.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import { openPerson } from '../../harness/processes/console.ts'
import { insist, whenDatabaseIsBack, type Roots } from './shop.ts'

export type OfficeWork = {
  requested: number
  refused: number
  dashboard: number
  sentBack: number
  disputes: number
  won: number
  lost: number
}

/** In cents: small parts, so that a payment goes back in many of them. */
const PART_MAX = 900
const EVERY_MS = 150
/** The list of all objects grows with the payments; read each time it would slow the provider. */
const LISTED_EVERY_MS = 3_000
/** Of disputes at once. */
const OPEN_MAX = 3
const CLOSED_MS_MAX = 60_000

/**
 * What operators, people in the provider's dashboard and banks do with payments, in random order,
 * until told to stop. Whoever gets no answer does not know what became of it, as in life.
 */
export async function workInOffice(
  { postgres }: Environment,
  provider: ProviderControl,
  roots: Roots,
  random: Random,
  isOver: () => boolean,
): Promise<OfficeWork> {
  const work: OfficeWork = {
    requested: 0,
    refused: 0,
    dashboard: 0,
    sentBack: 0,
    disputes: 0,
    won: 0,
    lost: 0,
  }
  const openOperator = async () =>
    whenDatabaseIsBack(async () => openPerson(postgres, { platformRole: 'operator' }))
  let operator = await openOperator()
  const request = async (paymentId: string) => {
    const headers = { ...operator.as, 'idempotency-key': crypto.randomUUID() }
    const amount = (random.between(1, PART_MAX) / 100).toFixed(2)
    const body = { amount: { amount }, reason: 'proof' }
    const path = `/operator/payments/${paymentId}/refunds`
    const { status } = await insist(roots, 'POST', path, headers, body)
    // 409 names the refund of a request whose answer was lost; 400: more than what is left.
    if (status === 201) work.requested += 1
    else if (status !== 403) work.refused += 1
    // Their identity was confirmed too long ago: another operator goes on.
    else operator = await openOperator()
  }
  let objects: readonly StripeObject[] = []
  let listedMs = -Infinity
  while (!isOver()) {
    if (performance.now() - listedMs > LISTED_EVERY_MS) {
      objects = await provider.objects().catch(() => objects)
      listedMs = performance.now()
    }
    const paid = objects.filter((each) => each['payment_status'] === 'paid')
    const refunds = objects.filter(({ object }) => object === 'refund')
    if (paid.length > 0) {
      const page = random.pick(paid)
      const { payment_id: id = '' } = page['metadata'] as { payment_id?: string }
      const moneyRef = String(page['payment_intent'])
      const open = openDisputesIn(objects)
      const turn = random.between(0, 9)
      const act = async () => {
        if (turn < 5) return request(id)
        const charge = chargeOf(objects, moneyRef)
        if (turn < 7) return doInDashboard(provider, charge, random, work)
        if (turn === 7 && refunds.length > 0) return sendBack(provider, random.pick(refunds), work)
        if (open.length < OPEN_MAX && charge?.['disputed'] === false)
          return dispute(provider, moneyRef, random, work)
        return open.length > 0 ? close(provider, random.pick(open), random, work) : undefined
      }
      await act().catch(() => undefined)
    }
    // pacing: people and banks take their time.
    await pause(EVERY_MS)
  }
  await closeAll(provider, random, work)
  return work
}

function chargeOf(objects: readonly StripeObject[], moneyRef: string): StripeObject | undefined {
  return objects.find(
    (each) => each.object === 'charge' && each['payment_intent'] === moneyRef && each['paid'],
  )
}

/** There nobody can enter more than what is left, or refund what a bank disputes. */
async function doInDashboard(
  provider: ProviderControl,
  charge: StripeObject | undefined,
  random: Random,
  work: OfficeWork,
): Promise<void> {
  if (charge === undefined || charge['disputed'] === true) return
  const left = Number(charge['amount']) - Number(charge['amount_refunded'])
  if (left <= 0) return
  await provider.refund(
    String(charge['payment_intent']),
    random.between(1, Math.min(left, PART_MAX)),
  )
  work.dashboard += 1
}

async function sendBack(
  provider: ProviderControl,
  { id }: StripeObject,
  work: OfficeWork,
): Promise<void> {
  await provider.settleRefund(id, 'failed')
  work.sentBack += 1
}

async function dispute(
  provider: ProviderControl,
  moneyRef: string,
  random: Random,
  work: OfficeWork,
): Promise<void> {
  await provider.dispute(moneyRef, { inquiry: random.chance(0.3) })
  work.disputes += 1
}

function openDisputesIn(objects: readonly StripeObject[]): StripeObject[] {
  return objects.filter(
    ({ object, status }) => object === 'dispute' && String(status).endsWith('needs_response'),
  )
}

async function close(
  provider: ProviderControl,
  { id, status }: StripeObject,
  random: Random,
  work: OfficeWork,
): Promise<void> {
  const isInquiry = String(status).startsWith('warning')
  const isWon = random.chance(0.5)
  await provider.closeDispute(id, isInquiry ? 'warning_closed' : isWon ? 'won' : 'lost')
  if (isWon || isInquiry) work.won += 1
  else work.lost += 1
}

/** Each bank decides in the end. The provider may be starting again. */
async function closeAll(provider: ProviderControl, random: Random, work: OfficeWork) {
  const isClosed = async () => {
    const objects = await provider.objects().catch(() => undefined)
    if (objects === undefined) return false
    const open = openDisputesIn(objects)
    for (const each of open) await close(provider, each, random, work).catch(() => undefined)
    return open.length === 0
  }
  await waitUntil('all disputes to be decided', isClosed, CLOSED_MS_MAX)
}

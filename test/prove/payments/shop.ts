import { setTimeout as pause } from 'node:timers/promises'
import { openPerson, type Headers } from '../../harness/processes/console.ts'
import { isUnavailable } from '../../../src/store/postgres/postgres.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import type { Environment } from '../../harness/environment.ts'
import type { Random } from '../../harness/figures/random.ts'
import { waitUntil } from '../../harness/figures/measure.ts'

/** The management API of some console process that runs. */
export type Roots = () => string

export type Shopper = {
  readonly organizationId: string
  readonly as: Headers
  readonly path: string
}

type PaymentView = {
  readonly id: string
  readonly state: string
  readonly url: string | null
}

export type Intent = {
  readonly amountCents: number
  /** Presses at the same time, each on any console process. */
  readonly clicks: number
  readonly declines: number
  readonly end: 'pay' | 'pay-twice' | 'leave' | 'cancel'
  /** Whether the browser comes back and asks. */
  readonly returns: boolean
}

export type Visit = {
  readonly paymentId: string
  readonly isPaid: boolean
  /** From the payment until the console said so; undefined without a return. */
  readonly creditedMs: number | undefined
}

/** In cents. An organization may start payments of 100.00 before the first is paid. */
const AMOUNT_MIN = 500
const AMOUNT_MAX = 3_300
const PATIENCE_MS = 90_000
const RETRY_MS = 50
/** As the page of the console asks after the return. */
const CHECK_EVERY_MS = 500

export async function openShopper({ postgres }: Environment): Promise<Shopper> {
  return whenDatabaseIsBack(async () => {
    const { id: organizationId } = await openOrganization(postgres.database, 'ample')
    const { as } = await openPerson(postgres, { organizationId, role: 'owner' })
    return { organizationId, as, path: `/organizations/${organizationId}/payments` }
  })
}

/** Rows that the proof itself makes. What it began before PostgreSQL was killed is left behind. */
export async function whenDatabaseIsBack<Made>(make: () => Promise<Made>): Promise<Made> {
  let made: Made | undefined
  const isMade = async () => {
    try {
      made = await make()
      return true
    } catch (error) {
      if (isUnavailable(error)) return false
      throw error
    }
  }
  await waitUntil('PostgreSQL to be back', isMade, PATIENCE_MS)
  return made!
}

export function drawIntent(random: Random): Intent {
  const end = random.pick([
    'pay',
    'pay',
    'pay',
    'pay',
    'pay',
    'pay-twice',
    'leave',
    'cancel',
  ] as const)
  return {
    amountCents: random.between(AMOUNT_MIN, AMOUNT_MAX),
    clicks: random.chance(0.2) ? 2 : 1,
    declines: random.chance(0.15) ? random.between(1, 2) : 0,
    end,
    returns: random.chance(0.6),
  }
}

/** One person buys credit once, whatever dies on the way. */
export async function visit(roots: Roots, shopper: Shopper, intent: Intent): Promise<Visit> {
  const key = crypto.randomUUID()
  const clicks = Array.from({ length: intent.clicks }, async () =>
    start(roots, shopper, intent, key),
  )
  const [first, ...others] = await Promise.all(clicks)
  if (first === undefined || others.some(({ id }) => id !== first.id))
    throw new Error('one dialog made several payments')
  const payment = await awaitPage(roots, shopper, first.id)
  if (payment.url === null) return { paymentId: first.id, isPaid: false, creditedMs: undefined }
  for (let declined = 0; declined < intent.declines; declined += 1)
    await press(payment.url, 'declined')
  if (intent.end === 'cancel')
    await insist(roots, 'POST', `${shopper.path}/${first.id}/cancel`, shopper.as)
  if (intent.end === 'leave' || intent.end === 'cancel')
    return { paymentId: first.id, isPaid: false, creditedMs: undefined }
  const presses = intent.end === 'pay-twice' ? 2 : 1
  await Promise.all(Array.from({ length: presses }, async () => press(payment.url ?? '', 'ok')))
  const paidMs = performance.now()
  if (!intent.returns) return { paymentId: first.id, isPaid: true, creditedMs: undefined }
  await checkUntilPaid(roots, shopper, first.id)
  return { paymentId: first.id, isPaid: true, creditedMs: performance.now() - paidMs }
}

async function start(
  roots: Roots,
  { as, path }: Shopper,
  { amountCents }: Intent,
  key: string,
): Promise<{ readonly id: string }> {
  const body = { amount: { amount: (amountCents / 100).toFixed(2) } }
  const { status, text } = await insist(
    roots,
    'POST',
    path,
    { ...as, 'idempotency-key': key },
    body,
  )
  const answer = JSON.parse(text) as { id?: string; error?: { code: string; message: string } }
  // The repeated press gets the id of what the first one made.
  const repeated = answer.error?.code === 'already_created' ? answer.error.message : ''
  const id = status === 201 ? answer.id : /created (\S+)\.$/.exec(repeated)?.[1]
  if (id === undefined) throw new Error(`starting a payment: ${status} ${text.slice(0, 200)}`)
  return { id }
}

/** The page, or the end of a payment whose page nobody will get. */
async function awaitPage(roots: Roots, shopper: Shopper, id: string): Promise<PaymentView> {
  let payment = await check(roots, shopper, id)
  const isKnown = async () => {
    payment = await check(roots, shopper, id)
    return payment.url !== null || payment.state !== 'created'
  }
  await waitUntil(`the page of ${id}`, isKnown, PATIENCE_MS, { pollMs: CHECK_EVERY_MS })
  return payment
}

async function checkUntilPaid(roots: Roots, shopper: Shopper, id: string): Promise<void> {
  let seen = ''
  const isPaid = async () => {
    seen = (await check(roots, shopper, id)).state
    return seen === 'succeeded'
  }
  const waiting = { pollMs: CHECK_EVERY_MS, seen: () => seen }
  await waitUntil(`the credit of ${id}`, isPaid, PATIENCE_MS, waiting)
}

async function check(roots: Roots, { as, path }: Shopper, id: string): Promise<PaymentView> {
  const { status, text } = await insist(roots, 'POST', `${path}/${id}/check`, as)
  if (status !== 200) throw new Error(`checking ${id}: ${status} ${text.slice(0, 200)}`)
  return JSON.parse(text) as PaymentView
}

/** Sends until some process answers something else than that it cannot now. */
export async function insist(
  roots: Roots,
  method: string,
  path: string,
  as: Headers,
  body?: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const begunMs = performance.now()
  for (;;) {
    const answer = await sendOnce(`${roots()}${path}`, method, as, body)
    if (answer !== undefined && answer.status < 500) return answer
    if (performance.now() - begunMs > PATIENCE_MS)
      throw new Error(`${method} ${path}: ${answer?.status} ${answer?.text.slice(0, 200)}`)
    // pacing: a person or a browser that tries again.
    await pause(RETRY_MS)
  }
}

async function sendOnce(url: string, method: string, as: Headers, body: unknown) {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...as },
      body: JSON.stringify(body ?? {}),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

/** On the provider's page. It may be restarting; a page that is over takes no money. */
async function press(url: string, card: string): Promise<void> {
  const isPressed = async (): Promise<boolean> => {
    const sent = fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ card }),
    })
    return sent.then(({ status }) => status < 500).catch(() => false)
  }
  await waitUntil('the provider to take a payment', isPressed, PATIENCE_MS)
}

import { waitUntil } from '../../harness/figures/measure.ts'
import type { StripeObject } from '../../harness/payments/journal.ts'
import { openPerson } from '../../harness/processes/console.ts'
import { insist } from '../payments/shop.ts'
import type { Desk, End } from './desk.ts'

export type Invoice = {
  readonly id: string
  readonly organizationId: string
  readonly ref: string
  readonly month: string
}

export type Decisions = Readonly<
  Record<Exclude<End, 'stopped'> | 'seen as paid', (invoice: Invoice) => Promise<void>>
>

type Decision = 'mark-paid' | 'void' | 'write-off'
type InDashboard = 'void' | 'write-off' | 'paid'

const WAIT_MS_MAX = 90_000
/** As the console asks after the return. */
const CHECK_EVERY_MS = 500
const PART_CENTS_MAX = 49

/** Everything that people do with an invoice. Consoles and provider may be dead meanwhile. */
export function openDecisions(desk: Desk): Decisions {
  const pay = async (invoice: Invoice) => press(desk, invoice)
  const decide = async (invoice: Invoice, does: Decision) => decideAs(desk, invoice, does)
  const inDashboard = (does: InDashboard) => async (invoice: Invoice) =>
    decideThere(desk, invoice, does)
  const seenAsPaid = async (invoice: Invoice) => {
    await pay(invoice)
    await become(desk, invoice, 'succeeded')
  }
  return {
    paid: pay,
    'seen as paid': seenAsPaid,
    'never paid': async () => Promise.resolve(),
    void: async (invoice) => decide(invoice, 'void'),
    'written off': async (invoice) => decide(invoice, 'write-off'),
    'to the bank': async (invoice) => decide(invoice, 'mark-paid'),
    async declined(invoice) {
      await press(desk, invoice, 'declined')
      await pay(invoice)
    },
    async 'paid twice'(invoice) {
      await Promise.all([pay(invoice), pay(invoice)])
    },
    async 'written off, and paid'(invoice) {
      await decide(invoice, 'write-off')
      await become(desk, invoice, 'failed')
      await pay(invoice)
    },
    async 'void and paid'(invoice) {
      await Promise.all([decide(invoice, 'void'), pay(invoice)])
    },
    async 'bank and card'(invoice) {
      await Promise.all([decide(invoice, 'mark-paid'), pay(invoice)])
    },
    async refunded(invoice) {
      await seenAsPaid(invoice)
      await refund(desk, invoice)
    },
    async disputed(invoice) {
      await seenAsPaid(invoice)
      await dispute(desk, invoice)
    },
    'paid there': inDashboard('paid'),
    'void there': inDashboard('void'),
    'written off there': inDashboard('write-off'),
  }
}

/** The provider may be starting again; nothing that is repeated here takes money twice. */
async function there(what: string, does: () => Promise<unknown>): Promise<void> {
  await waitUntil(what, async () => does().then(Boolean, isNoAnswer), WAIT_MS_MAX)
}

async function press(
  { provider }: Desk,
  { ref }: Invoice,
  outcome: 'ok' | 'declined' = 'ok',
): Promise<void> {
  const what = `the provider to take money for ${ref}`
  await there(what, async () => provider.complete(ref, outcome))
}

async function postAsOperator(
  { environment, roots }: Desk,
  path: string,
  body: object,
): Promise<void> {
  const { as } = await openPerson(environment.postgres, { platformRole: 'operator' })
  const headers = { ...as, 'idempotency-key': crypto.randomUUID() }
  const { status, text } = await insist(roots, 'POST', path, headers, body)
  // 409: the other side has ended it, or it was done and the answer was lost.
  if (status !== 200 && status !== 201 && status !== 409)
    throw new Error(`POST ${path}: ${status} ${text.slice(0, 200)}`)
}

async function decideAs(desk: Desk, { id }: Invoice, does: Decision): Promise<void> {
  await postAsOperator(desk, `/operator/invoices/${id}/${does}`, { reason: 'proof' })
}

async function refund(desk: Desk, { id }: Invoice): Promise<void> {
  const amount = (desk.random.between(1, PART_CENTS_MAX) / 100).toFixed(2)
  const body = { amount: { amount }, reason: 'proof' }
  await postAsOperator(desk, `/operator/payments/${id}/refunds`, body)
}

/** A second press there is refused, so whoever got no answer looks first. */
async function decideThere({ provider }: Desk, { ref }: Invoice, does: InDashboard): Promise<void> {
  const statusOf = async () => (await provider.objects()).find(({ id }) => id === ref)?.['status']
  await there(`${does} of ${ref} in the dashboard`, async () =>
    (await statusOf()) === 'open' ? provider.invoice(ref, does) : true,
  )
}

async function rowOf({ environment }: Desk, { id }: Invoice) {
  const query = 'select state, money_ref from payments where id = $1'
  const { rows } = await environment.postgres.pool.query<{
    state: string
    money_ref: string | null
  }>(query, [id])
  return rows[0]!
}

async function become(desk: Desk, invoice: Invoice, state: string): Promise<void> {
  const isIt = async () => {
    await check(desk, invoice)
    return (await rowOf(desk, invoice)).state === state
  }
  const seen = async () => rowOf(desk, invoice)
  const waiting = { pollMs: CHECK_EVERY_MS, seen }
  await waitUntil(`${invoice.id} to be ${state}`, isIt, WAIT_MS_MAX, waiting)
}

async function dispute(desk: Desk, invoice: Invoice): Promise<void> {
  const { provider, random } = desk
  const moneyRef = (await rowOf(desk, invoice)).money_ref ?? ''
  const find = async () => (await provider.objects()).find(isDisputeOf(moneyRef))
  await there(`a dispute of ${invoice.ref}`, async () =>
    (await find()) === undefined ? provider.dispute(moneyRef) : true,
  )
  const outcome = random.pick(['won', 'lost'] as const)
  await there(`the dispute of ${invoice.ref} to be ${outcome}`, async () => {
    const found = (await find())!
    return found['status'] === outcome ? true : provider.closeDispute(found.id, outcome)
  })
}

/** What `fetch` throws when nobody listens, or hangs up. */
function isNoAnswer(error: unknown): false {
  if (error instanceof TypeError) return false
  throw error
}

function isDisputeOf(moneyRef: string) {
  return (each: StripeObject) => each.object === 'dispute' && each['payment_intent'] === moneyRef
}

/** An owner presses "Check", or comes back to the console. */
async function check({ roots, debtors }: Desk, { id, organizationId }: Invoice): Promise<void> {
  const { owner } = debtors.find((each) => each.id === organizationId)!
  const path = `/organizations/${organizationId}/payments/${id}/check`
  const { status, text } = await insist(roots, 'POST', path, owner)
  if (status !== 200) throw new Error(`POST ${path}: ${status} ${text.slice(0, 200)}`)
}

import { waitUntil } from '../../harness/figures/measure.ts'
import type { PaymentPlaces, Places } from '../../harness/browser/pages.ts'
import type { PayingWeb } from '../../harness/payments/paying-web.ts'
import { ask, type Answer } from '../../harness/processes/console.ts'
import { consentVersion } from '../../../src/contract/payments/automatic-top-up.ts'
import { findDispute } from '../../../src/store/payments/disputes.ts'
import { orderReading } from '../../../src/store/payments/provider-readings.ts'
import { invoicesOf } from '../../../src/store/payments/invoices.ts'
import { issueStatements } from '../../../src/store/ledger/issue-statements.ts'
import { changeOrganization, createOrganization } from '../../../src/store/tenants/organizations.ts'
import { findProject } from '../../../src/store/tenants/projects.ts'
import { LAST_MONTH, makeOverdue, spendLastMonth } from '../../harness/payments/invoices.ts'
import { DAY_QUERY, ITEMS_QUERY } from '../../harness/seed/provider-day.ts'
import { seed, type Seeded } from './seed.ts'

/** With tax, so that each column has figures, and with room for large amounts. */
export const TAXED = { tax: 'provider', top_up_max: 1_000_000 } as const

export type SeededWithPayments = Seeded & { readonly places: Places & PaymentPlaces }

const READ_MS = 30_000
/** New organizations may not start with more. */
const FIRST = '25.00'

/**
 * What `seed` makes, and an organization of the same owner that pays by card, with a payment in
 * each state that pages show differently.
 */
export async function seedWithPayments(
  web: PayingWeb,
  amount = FIRST,
): Promise<SeededWithPayments> {
  const seeded = await seed(web)
  const paying = `paying-${crypto.randomUUID().slice(0, 8)}`
  const { id } = await createOrganization(web.environment.postgres.database, {
    slug: paying,
    name: 'Paying',
    plan: 'prepaid',
    retention: 'zero',
    ownerAccountId: seeded.people.owner!.accountId,
  })
  const office = payingOffice(web, seeded, `/organizations/${id}`)
  await office.pay(FIRST, { save_card: true })
  const payment = await office.pay(amount)
  await office.turnOnTopUps()
  await office.refundPart(payment)
  await office.beDisputed(payment)
  const contradicted = await office.payAnother(amount)
  await office.start(amount)
  await office.nameContacts()
  await compareDays(web, payment)
  const owing = await openOwing(web, seeded, Number(amount))
  return { ...seeded, places: { ...seeded.places, paying, owing, payment, contradicted } }
}

/** A day that is equal in the provider's books and in the ledger, and one that is not. */
async function compareDays({ environment }: PayingWeb, paymentId: string): Promise<void> {
  const { pool } = environment.postgres
  await pool.query(DAY_QUERY, [4, 0])
  await pool.query(DAY_QUERY, [3, 10_000_000])
  const item = { about: 'payment', ref: 'pi_1', line: 'txn_1', paymentId, missing: 'entry' }
  await pool.query(ITEMS_QUERY, [
    JSON.stringify([{ ...item, amount: 10_000_000, currency: 'USD' }]),
  ])
}

/** An organization that pays afterwards, with a credit limit and an invoice that is overdue. */
async function openOwing({ environment }: PayingWeb, { people }: Seeded, used: number) {
  const { database, pool } = environment.postgres
  const owing = `owing-${crypto.randomUUID().slice(0, 8)}`
  const { id } = await createOrganization(database, {
    slug: owing,
    name: 'Owing',
    plan: 'postpaid',
    retention: 'zero',
    ownerAccountId: people.owner!.accountId,
  })
  await changeOrganization(database, id, { creditLimit: 1_000_000_000_000 })
  const { id: projectId } = await findProject(database, id, 'default')
  await spendLastMonth(pool, { id, projectId }, used)
  const rules = { currency: 'USD', postpaidPlans: ['postpaid'], daysUntilDue: 30 }
  while ((await issueStatements(pool, `${LAST_MONTH}-01`, 100, rules)) === 100);
  const isOpen = async () => (await invoicesOf(database, id)).get(LAST_MONTH)?.state === 'open'
  await waitUntil('an invoice to be open', isOpen, READ_MS)
  await makeOverdue(pool, { id }, 2)
  return owing
}

/** What the owner, an operator and a bank do. */
function payingOffice(web: PayingWeb, { people }: Seeded, path: string) {
  const { control, environment, console: console_, origin } = web
  const { database } = environment.postgres
  const by = async (who: 'owner' | 'operator', method: string, below: string, body?: object) => {
    const as = { ...people[who]!.as, origin }
    const answer = await ask(console_.apiRoot, method, below, { as, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${below}: ${answer.text}`)
    return answer
  }
  const start = async (amount: string, more: object = {}) =>
    by('owner', 'POST', `${path}/payments`, { amount: { amount }, ...more })
  const complete = async ({ body }: Answer, state: string): Promise<string> => {
    await control.complete(String(body['url']).split('/pay/')[1]!)
    const check = async () => by('owner', 'POST', `${path}/payments/${body.id}/check`)
    await waitUntil(state, async () => (await check()).body['state'] === state, READ_MS)
    return body.id
  }
  return {
    start,
    pay: async (amount: string, more?: object) => complete(await start(amount, more), 'succeeded'),
    /** The page takes another amount than the one that was asked for. */
    async payAnother(amount: string) {
      const started = await start(amount)
      await database
        .updateTable('payments')
        .set({ amount: 1_000_000 })
        .where('id', '=', started.body.id)
        .execute()
      return complete(started, 'attention')
    },
    turnOnTopUps: async () =>
      by('owner', 'PUT', `${path}/automatic-top-up`, {
        enabled: true,
        threshold: { amount: '1.00' },
        amount: { amount: '25.00' },
        month_max: { amount: '200.00' },
        consent: consentVersion(5),
      }),
    nameContacts: async () =>
      by('owner', 'PUT', `${path}/billing-contacts`, { emails: ['books@example.com'] }),
    refundPart: async (id: string) =>
      by('operator', 'POST', `/operator/payments/${id}/refunds`, {
        amount: { amount: '10.00' },
        reason: 'ordered twice',
      }),
    async beDisputed(id: string) {
      const paid = (await control.objects()).find(
        ({ metadata }) => (metadata as { payment_id?: string } | null)?.payment_id === id,
      )
      await control.dispute(String(paid!['payment_intent']), { inquiry: true })
      const dispute = (await control.objects()).findLast(({ object }) => object === 'dispute')!
      // As if the webhook had come.
      await orderReading(database, 'dispute', dispute.id)
      const isRead = async () => (await findDispute(database, dispute.id)) !== undefined
      await waitUntil('the dispute to be read', isRead, READ_MS)
    },
  }
}

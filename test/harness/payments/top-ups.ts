import assert from 'node:assert/strict'
import type { Config } from '../../../src/config/load.ts'
import { consentVersion } from '../../../src/contract/payments/automatic-top-up.ts'
import { startTopUps, type TopUpRules } from '../../../src/store/payments/start-top-ups.ts'
import { waitUntil } from '../figures/measure.ts'
import { ask } from '../processes/console.ts'
import { addUsage } from '../seed/billing-rows.ts'
import { startPayingConsole, type Payer, type PayingConsole } from './paying-console.ts'

const RULES: TopUpRules = {
  currency: 'USD',
  prepaidPlans: ['ample'],
  chargeMax: 1_000_000_000,
  pauseMinutes: 0,
  perDay: 5,
}

export const SETTINGS = {
  enabled: true,
  threshold: { amount: '10.00' },
  amount: { amount: '25.00' },
  month_max: { amount: '200.00' },
  consent: consentVersion(5),
}

const TIMEOUT_MS = 30_000
const UNIT = 1_000_000

/** A console with payments, whose organizations pay from their balance. */
export async function startTopUpConsole(change: (config: Config) => Config = (config) => config) {
  return startPayingConsole((config) =>
    change({
      ...config,
      payments: { ...config.payments!, page_hosts: ['127.0.0.1', 'pay.stripe.example'] },
      plans: { ...config.plans, ample: { ...config.plans['ample']!, billing: 'prepaid' } },
    }),
  )
}

export type Saver = Payer & {
  readonly put: (body: object) => ReturnType<Payer['post']>
  /** Spends so much that this is left, in units of the currency. */
  readonly spendTo: (left: number) => Promise<void>
}

/** An owner who has paid 25.00 with a card that is kept. */
export async function openSaver(console_: PayingConsole): Promise<Saver> {
  const payer = await console_.openPayer()
  const { status, body } = await payer.post('/payments', {
    amount: { amount: '25.00' },
    save_card: true,
  })
  assert.equal(status, 201, JSON.stringify(body))
  await console_.control.complete(String(body['url']).split('/pay/')[1]!)
  const isPaid = async () =>
    (await payer.post(`/payments/${body.id}/check`)).body['state'] === 'succeeded'
  await waitUntil('the payment of the page', isPaid, TIMEOUT_MS)
  const path = `/organizations/${payer.organization.id}/automatic-top-up`
  return {
    ...payer,
    put: async (settings) => ask(console_.root, 'PUT', path, { as: payer.as, body: settings }),
    async spendTo(left) {
      const { balance } = (await payer.get('/balance')).body as unknown as {
        balance: { amount_micro: number }
      }
      const cost = balance.amount_micro - left * UNIT
      await addUsage(console_.postgres.pool, payer.organization, cost)
    },
  }
}

/** One who has turned it on, and whose balance is below the threshold. */
export async function openLowSaver(console_: PayingConsole, left = 4): Promise<Saver> {
  const saver = await openSaver(console_)
  const { status, body } = await saver.put(SETTINGS)
  assert.equal(status, 200, JSON.stringify(body))
  await saver.spendTo(left)
  return saver
}

/** As the leading worker does. Returns the ids of the charges of an organization, oldest first. */
export async function startDue(
  console_: PayingConsole,
  { organization }: Saver,
  rules: Partial<TopUpRules> = {},
): Promise<string[]> {
  const { database } = console_.postgres
  await startTopUps(database, { ...RULES, ...rules })
  return chargesOf(console_, organization.id)
}

export async function chargesOf(console_: PayingConsole, id: string): Promise<string[]> {
  const rows = await console_.postgres.database
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', id)
    .where('kind', '=', 'automatic')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Waits for the jobs of the console. */
export async function awaitState(
  { postgres: { database } }: PayingConsole,
  id: string | undefined,
  state: string,
) {
  const rowOf = async () =>
    database
      .selectFrom('payments')
      .selectAll()
      .where('id', '=', id ?? '')
      .executeTakeFirstOrThrow()
  const isThere = async () => (await rowOf()).state === state
  await waitUntil(`a charge ${state}`, isThere, TIMEOUT_MS, { seen: rowOf })
  return rowOf()
}

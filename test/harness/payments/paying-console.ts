import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../../src/config/load.ts'
import { checkCurrency } from '../../../src/store/ledger/currency.ts'
import { ask, startConsole, type Answer } from '../processes/console.ts'
import { deliver, signEvent, type Delivery } from './deliver-webhooks.ts'
import { WEBHOOK_SECRET, withPayments } from './payment-settings.ts'
import { controlOf } from './provider-client.ts'
import { startScriptedProvider } from './scripted-provider.ts'
import { startStripeMock } from './stripe-mock.ts'

/** A console with payments on the scripted provider, and people who pay. */
export async function startPayingConsole(change: (config: Config) => Config = (config) => config) {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'))
  const mock = await startStripeMock()
  const journal = join(folder, 'journal')
  const provider = await startScriptedProvider({ journal, mock: mock?.url })
  const control = controlOf(provider.url)
  const console_ = await startConsole((config) => change(withPayments(config, provider.url)))
  // As `headrace console` does when it starts.
  await checkCurrency(console_.postgres.pool, console_.config.currency)
  const hookUrl = console_.root.replace('/management/v1', '/hooks/stripe')
  return {
    ...console_,
    control,
    hookUrl,
    send: async (delivery: Delivery) => deliver(hookUrl, delivery),
    sign: (event: object) => signEvent(event, { secret: WEBHOOK_SECRET }),
    async openPayer(role: 'owner' | 'admin' | 'member' | 'viewer' = 'owner') {
      const organization = await console_.openOrganization()
      const person = await console_.openPerson({ organizationId: organization.id, role })
      const path = `/organizations/${organization.id}`
      return {
        organization,
        ...person,
        get: async (below: string) => ask(console_.root, 'GET', path + below, { as: person.as }),
        post: async (below: string, body?: object, headers = {}) =>
          ask(console_.root, 'POST', path + below, { as: person.as, body, headers }),
      }
    },
    async [Symbol.asyncDispose]() {
      await console_[Symbol.asyncDispose]()
      const { violations } = await control.sums()
      await provider[Symbol.asyncDispose]()
      await mock?.[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
      assert.deepEqual(violations, [], 'requests that Stripe would refuse')
    },
  }
}

export type PayingConsole = Awaited<ReturnType<typeof startPayingConsole>>
export type Payer = Awaited<ReturnType<PayingConsole['openPayer']>>

/** Starts a payment and returns its id and that of its page. */
export async function start(
  payer: Payer,
  amount = '25.00',
  more: { readonly save_card?: boolean } = {},
): Promise<{ id: string; page: string }> {
  const { status, body } = await payer.post('/payments', { amount: { amount }, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, page: String(body['url']).split('/pay/')[1]! }
}

export function codeOf({ status, body }: Answer) {
  return [status, body.error?.code]
}

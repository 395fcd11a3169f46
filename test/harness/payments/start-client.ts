import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PagePayment } from '../../../src/payments/provider.ts'
import { connectStripe } from '../../../src/payments/stripe/stripe.ts'
import { controlOf } from './provider-client.ts'
import { startScriptedProvider } from './scripted-provider.ts'
import { startStripeMock } from './stripe-mock.ts'

const ORGANIZATION = '0199a000-0000-7000-8000-0000000000aa'
const HOUR_MS = 3_600_000

/**
 * Our client on the scripted provider, behind which stripe-mock checks requests if it was built.
 * At its end no request may have been refused by it.
 */
export async function startClient() {
  const folder = await mkdtemp(join(tmpdir(), 'stripe-'))
  const mock = await startStripeMock()
  const provider = await startScriptedProvider({
    journal: join(folder, 'journal'),
    mock: mock?.url,
  })
  const control = controlOf(provider.url)
  const stripe = connectStripe({
    key: 'rk_test_scripted',
    apiUrl: provider.url,
    webhookSecrets: ['whsec_scripted_0123456789'],
    backoffMs: 1,
  })
  const email = 'billing@example.com'
  const owner = { organizationId: ORGANIZATION, name: 'Acme', email }
  const customer = await stripe.createCustomer(owner)
  let made = 0
  const pageOf = (changes: Partial<PagePayment> = {}): PagePayment => {
    made += 1
    return {
      id: `0199a000-0000-7000-8000-${String(made).padStart(12, '0')}`,
      organizationId: ORGANIZATION,
      customer,
      currency: 'USD',
      attempt: 1,
      tax: false,
      amount: 25_000_000,
      description: 'Credit',
      saveCard: false,
      expiresAt: new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS),
      ...changes,
    }
  }
  return {
    stripe,
    control,
    owner,
    customer,
    pageOf,
    async [Symbol.asyncDispose]() {
      const { violations, faultsLeft } = await control.sums()
      await provider[Symbol.asyncDispose]()
      await mock?.[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
      assert.deepEqual(violations, [], 'requests that Stripe would refuse')
      assert.equal(faultsLeft, 0)
    },
  }
}

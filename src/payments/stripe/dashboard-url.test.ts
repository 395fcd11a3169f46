import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardUrl } from './dashboard-url.ts'

test('payments and invoices have a page in the dashboard of their account and mode', () => {
  const account = { ref: 'acct_1', live: false }
  const root = 'https://dashboard.stripe.com/acct_1'
  assert.equal(dashboardUrl(account, 'pi_2'), `${root}/test/payments/pi_2`)
  assert.equal(dashboardUrl({ ...account, live: true }, 'in_3'), `${root}/invoices/in_3`)
  assert.equal(dashboardUrl(account, 'cs_test_4'), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Balance } from '../../api/routes.ts'
import { daysLeft, sharesOf } from './forecast.ts'

const money = (units: number) => ({
  amount: units.toFixed(2),
  amount_micro: units * 1_000_000,
  currency: 'USD',
})

/** Noon of the 15th: 15.5 of 30 days are left. */
const NOW = Date.UTC(2026, 10, 15, 12)

function balanceWith(available: number | null, spent: number, forecast: number): Balance {
  return {
    billing: 'prepaid',
    billing_state: 'ok',
    granted: money(100),
    spent: money(50),
    balance: money(50),
    reserved: money(0),
    available: available === null ? null : money(available),
    credit_limit: null,
    credit_used: null,
    spent_this_month: money(spent),
    forecast: { month: money(forecast), from_days: 7 },
    funding_help: null,
  }
}

test('the balance lasts as long as the rate of the forecast says', () => {
  assert.equal(daysLeft(balanceWith(40, 10, 41), NOW), 20)
  assert.equal(daysLeft(balanceWith(1, 10, 41), NOW), 0)
  assert.equal(daysLeft(balanceWith(-1, 10, 41), NOW), 0)
})

test('nothing is said if nothing is used or can be, or if the balance is not known', () => {
  assert.equal(daysLeft(balanceWith(40, 10, 10), NOW), null)
  assert.equal(daysLeft(balanceWith(null, 10, 41), NOW), null)
  const refused = { ...balanceWith(40, 10, 41), billing_state: 'exhausted' } as const
  assert.equal(daysLeft(refused, NOW), null)
})

test('shares are amounts that the API takes', () => {
  assert.deepEqual(sharesOf(100), ['50', '80', '100'])
  assert.deepEqual(sharesOf(12.5), ['6.25', '10', '12.50'])
})

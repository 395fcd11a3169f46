import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addReading, ratesOf, type Reading } from './traffic-rates.ts'

function reading(seconds: number, requests: number, refusals = {}, processes = 2): Reading {
  return {
    at: seconds * 1000,
    traffic: { requests, output_tokens: requests * 10, refusals, processes },
  }
}

function rates(readings: readonly Reading[]) {
  return ratesOf(readings.reduce<readonly Reading[]>(addReading, []))
}

test('rates are those of the last minute, and not known from one reading', () => {
  assert.equal(rates([reading(0, 100)]), undefined)
  assert.deepEqual(rates([reading(0, 100, { a: 5 }), reading(10, 150, { a: 5, b: 1, c: 3 })]), {
    requests: 5,
    outputTokens: 50,
    refusals: [
      { code: 'c', count: 3 },
      { code: 'b', count: 1 },
    ],
  })
  // The first reading is older than a minute.
  const later = [reading(0, 0), reading(50, 0), reading(100, 500)]
  assert.equal(rates(later)?.requests, 10)
})

test('a process that starts or stops makes no rate, and a reading counts once', () => {
  assert.equal(rates([reading(0, 100), reading(10, 5)]), undefined)
  assert.equal(rates([reading(0, 100), reading(10, 200, {}, 3)]), undefined)
  assert.equal(rates([reading(0, 100), reading(0, 100)]), undefined)
  assert.equal(rates([reading(0, 100), reading(10, 5), reading(20, 25)])?.requests, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, endOf, mistakesIn, NEW_DRAFT } from './key-draft.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

test('a new key ends in 90 days unless something else is chosen', () => {
  assert.equal(endOf(NEW_DRAFT, NOW), '2027-02-13T12:00:00.000Z')
  assert.equal(endOf({ ...NEW_DRAFT, ends: 'never' }, NOW), null)
  assert.equal(endOf({ ...NEW_DRAFT, ends: 'same' }, NOW), undefined)
})

test('a chosen day is the last on which the key works', () => {
  const end = endOf({ ...NEW_DRAFT, ends: 'date', date: '2026-12-31' }, NOW)
  assert.equal(new Date(String(end)).getTime(), new Date(2027, 0, 1).getTime())
})

test('empty limits are sent as no limit, so that a change can remove them', () => {
  const body = bodyOf({ ...NEW_DRAFT, name: ' bot ', perMinute: '60', spending: '2.50' }, NOW)
  assert.equal(body.name, 'bot')
  assert.equal(body.requests_per_minute, 60)
  assert.deepEqual(body.spending_limit, { amount: '2.50' })
  assert.equal(bodyOf(NEW_DRAFT, NOW).requests_per_minute, null)
  assert.equal(bodyOf(NEW_DRAFT, NOW).spending_limit, null)
})

test('parameters to ignore are sent as a whole list, so that a change can empty it', () => {
  const ignored = ['user', 'metadata'] as const
  assert.deepEqual(bodyOf({ ...NEW_DRAFT, ignored }, NOW).ignored_parameters, ignored)
  assert.deepEqual(bodyOf(NEW_DRAFT, NOW).ignored_parameters, [])
})

test('no models and fractions of requests are mistakes', () => {
  assert.deepEqual(mistakesIn({ ...NEW_DRAFT, models: [] }), { models: true, perMinute: false })
  assert.deepEqual(mistakesIn({ ...NEW_DRAFT, perMinute: '1.5' }), {
    models: false,
    perMinute: true,
  })
  assert.deepEqual(mistakesIn(NEW_DRAFT), { models: false, perMinute: false })
})

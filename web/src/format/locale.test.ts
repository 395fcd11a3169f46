import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateLocale } from './locale.ts'

test('dates have English words in the order of the viewer’s region', () => {
  assert.deepEqual(['de-DE', 'en-US', 'ar-EG'].map(dateLocale), ['en-DE', 'en-US', 'en-EG'])
  const german = new Intl.DateTimeFormat(dateLocale('de-DE'), { day: 'numeric', month: 'short' })
  assert.equal(german.format(Date.UTC(2026, 10, 18, 12)), '18 Nov')
  const arabic = new Intl.DateTimeFormat(dateLocale('ar-EG'), { day: 'numeric', month: 'short' })
  assert.match(arabic.format(Date.UTC(2026, 10, 18, 12)), /18/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugOf } from './slug.ts'

test('a name becomes lower-case letters, digits and single hyphens', () => {
  assert.equal(slugOf('Acme & Söhne GmbH'), 'acme-sohne-gmbh')
  assert.equal(slugOf('  --Team 7--  '), 'team-7')
  assert.equal(slugOf('日本'), '')
})

test('a long name is cut to what an address may have', () => {
  assert.equal(slugOf('x'.repeat(200)).length, 63)
})

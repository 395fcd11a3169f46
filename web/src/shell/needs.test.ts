import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neededFor } from './needs.ts'

test('a page needs the same permission by its address and by its route', () => {
  for (const page of ['/o/$slug/billing', '/o/acme/billing', '/below/o/acme/billing/'])
    assert.equal(neededFor(page), 'billing:read', page)
  assert.equal(neededFor('/o/acme/settings/retention'), 'retention:read')
})

test('pages for every role need nothing', () => {
  for (const page of ['/o/acme', '/o/acme/keys', '/o/acme/settings/general', '/operator', '/'])
    assert.equal(neededFor(page), undefined, page)
})

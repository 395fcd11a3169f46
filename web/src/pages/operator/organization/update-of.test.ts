import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorOrganization } from '../../../api/routes.ts'
import { formOf, updateOf } from './update-of.ts'

const acme: OperatorOrganization = {
  id: '0',
  slug: 'acme',
  name: 'Acme',
  plan: 'free',
  retention: 'zero',
  billing_state: 'ok',
  limits: {
    requests_per_minute: 600,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  },
  suspension: null,
  created_at: '2026-11-15T12:00:00Z',
  deleted_at: null,
}

test('a form that was not touched changes nothing', () => {
  assert.equal(updateOf(acme, formOf(acme)), undefined)
})

test('only what differs is sent, and an emptied limit removes its override', () => {
  const form = formOf(acme)
  const limits = { ...form.limits, requests_per_minute: '', tokens_per_day: ' 0 ' }
  assert.deepEqual(updateOf(acme, { ...form, plan: 'pro', limits }), {
    plan: 'pro',
    limits: { requests_per_minute: null, tokens_per_day: 0 },
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import recorded from './recorded-fields.json' with { type: 'json' }
import { readFields } from './record-fields.ts'
import { startStripeMock } from './stripe-mock.ts'

test("the scripted provider's objects have the fields of Stripe's", async (t) => {
  await using mock = await startStripeMock()
  if (mock === undefined) {
    t.diagnostic('stack/install-stripe-mock.sh has not built stripe-mock: not compared')
    return
  }
  assert.deepEqual(await readFields(mock.url), recorded)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slowestPartOf } from './minute.ts'

const SAME = { requests: 3, queued_ms: 1, first_token_ms: 200, duration_ms: 1_000 }

function timed(queued_ms: number | null, first_token_ms: number | null, duration_ms: number) {
  return { queued_ms, first_token_ms, duration_ms }
}

test('the longest of waiting, reading and answering is named, beside the median', () => {
  assert.match(slowestPartOf(timed(4_000, 4_200, 5_000), SAME), /wait for a slot: \*4\.?\d* s\*/)
  assert.match(
    slowestPartOf(timed(4_000, 4_200, 5_000), SAME),
    /longer than the median .*\*1\.?\d* s\*/,
  )
  assert.match(
    slowestPartOf(timed(1, 600, 900), SAME),
    /its slot to the first token.*no longer than/,
  )
  assert.match(slowestPartOf(timed(null, 100, 900), SAME), /from the first token on/)
})

test('nothing is compared that is not known', () => {
  assert.doesNotMatch(slowestPartOf(timed(1, 2, 9), null), /median/)
  assert.doesNotMatch(slowestPartOf(timed(1, 2, 9), { ...SAME, requests: 1 }), /median/)
  assert.equal(slowestPartOf(timed(1, null, 9), SAME), 'Its times are not known.')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestSummary } from '../../api/routes.ts'
import { isWithin, mergeNewest } from './merge-lists.ts'
import { outcomeOf } from './shown-outcome.ts'

function list(hasMore: boolean, ...minutes: number[]) {
  const loaded = { count: 0 }
  const items = minutes.map(
    (minute) =>
      ({
        id: String(minute),
        made_at: new Date(Date.UTC(2026, 10, 16, 0, minute)).toISOString(),
      }) as RequestSummary,
  )
  return {
    items,
    hasMore,
    loaded,
    loadMore: () => {
      loaded.count += 1
    },
  }
}

test('two lists become one, newest first', () => {
  const { items } = mergeNewest([list(false, 9, 5, 1), list(false, 8, 2)])
  assert.deepEqual(
    items?.map(({ id }) => id),
    ['9', '8', '5', '2', '1'],
  )
})

test('nothing older than the end of a list that goes on is shown; it is read on', () => {
  const [requests, refusals] = [list(true, 9, 5), list(false, 8, 2)]
  const { items, loadMore } = mergeNewest([requests, refusals])
  assert.deepEqual(
    items?.map(({ id }) => id),
    ['9', '8', '5'],
  )
  loadMore()
  assert.deepEqual([requests.loaded.count, refusals.loaded.count], [1, 0])
})

test('a request in both lists is one row, as its record says, with the error of the other', () => {
  const [records, refusals] = [list(false, 9, 5), list(false, 9)]
  const error = { status: 502, code: 'upstream_unavailable' } as RequestSummary['error']
  records.items[0] = { ...records.items[0]!, outcome: 'failed', error: null }
  refusals.items[0] = { ...refusals.items[0]!, outcome: 'refused', error }
  const { items } = mergeNewest([records, refusals])
  assert.deepEqual(
    items?.map(({ id, outcome }) => [id, outcome]),
    [
      ['9', 'failed'],
      ['5', undefined],
    ],
  )
  assert.deepEqual(items?.[0]?.error, error)
})

test('an error of the service is a failure, an error of the caller a refusal', () => {
  const refused = (status: number) =>
    outcomeOf({ outcome: 'refused', error: { status } as RequestSummary['error'] })
  assert.deepEqual([502, 503, 429, 400].map(refused), ['failed', 'failed', 'refused', 'refused'])
})

test('nothing is shown before both lists are there', () => {
  assert.equal(mergeNewest([list(false, 9), { ...list(false), items: undefined }]).items, undefined)
})

test('a period has its beginning and not its end', () => {
  const at = { made_at: '2026-11-16T01:00:00.000Z' }
  assert.equal(isWithin(at, { from: '2026-11-16T01:00Z', to: '2026-11-16T02:00Z' }), true)
  assert.equal(isWithin(at, { from: '2026-11-16T00:00Z', to: '2026-11-16T01:00Z' }), false)
  assert.equal(isWithin(at, {}), true)
})

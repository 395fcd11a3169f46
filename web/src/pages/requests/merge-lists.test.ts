import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestSummary } from '../../api/routes.ts'
import { isWithin, mergeNewest } from './merge-lists.ts'

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

test('nothing is shown before both lists are there', () => {
  assert.equal(mergeNewest([list(false, 9), { ...list(false), items: undefined }]).items, undefined)
})

test('a period has its beginning and not its end', () => {
  const at = { made_at: '2026-11-16T01:00:00.000Z' }
  assert.equal(isWithin(at, { from: '2026-11-16T01:00Z', to: '2026-11-16T02:00Z' }), true)
  assert.equal(isWithin(at, { from: '2026-11-16T00:00Z', to: '2026-11-16T01:00Z' }), false)
  assert.equal(isWithin(at, {}), true)
})

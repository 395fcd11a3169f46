import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createFairQueue } from './fair-queue.ts'

const entry = (organizationId: string, tokens = 10) => ({ organizationId, tokens })

test('organizations take turns, regardless of arrival order and number of requests', () => {
  const queue = createFairQueue(100)
  for (let count = 0; count < 5; count += 1) queue.push(entry('greedy'))
  queue.push(entry('modest'))
  queue.push(entry('modest'))
  const firstFour = Array.from({ length: 4 }, () => queue.shift()?.organizationId)
  assert.equal(firstFour.filter((id) => id === 'modest').length, 2)
})

test('an organization with larger requests is served less often', () => {
  const queue = createFairQueue(1_000)
  for (let count = 0; count < 40; count += 1) {
    queue.push(entry('large', 300))
    queue.push(entry('small', 100))
  }
  const served = Array.from({ length: 40 }, () => queue.shift()?.organizationId)
  assert.equal(served.filter((id) => id === 'large').length, 10)
})

/** The share of tokens of an organization that always has one large request waiting, or soon. */
function shareOfCapture(lagSlots: number): number {
  const queue = createFairQueue(256)
  const served = { large: 0, small: 0 }
  let due = 0
  for (let count = 0; count < 40; count += 1) queue.push(entry('small', 200))
  for (let slot = 0; slot < 10_000; slot += 1) {
    if (due <= slot) {
      queue.push(entry('large', 4_000))
      due = Infinity
    }
    const next = queue.shift()
    if (next === undefined) throw new Error('nobody waits')
    if (next.organizationId === 'small') {
      served.small += next.tokens
      queue.push(entry('small', 200))
    } else {
      served.large += next.tokens
      due = slot + 1 + lagSlots
    }
  }
  return served.large / (served.large + served.small)
}

for (const lagSlots of [0, 1, 2, 4])
  test(`one request that always waits does not beat a backlog, ${lagSlots} slots late`, () => {
    const share = shareOfCapture(lagSlots)
    assert.ok(share > 0.4 && share < 0.55, `${share}`)
  })

test('what an organization used without waiting counts when others wait', () => {
  const queue = createFairQueue(100)
  queue.charge('greedy', 1_000)
  queue.charge('greedy', 1_000)
  for (let count = 0; count < 10; count += 1) {
    queue.push(entry('greedy', 100))
    queue.push(entry('modest', 100))
  }
  const first = Array.from({ length: 10 }, () => queue.shift()?.organizationId)
  assert.equal(first.filter((id) => id === 'modest').length, 10)
})

test('idling earns nothing', () => {
  const queue = createFairQueue(100)
  queue.charge('late', 1)
  for (let count = 0; count < 100; count += 1) queue.charge('steady', 1_000)
  for (let count = 0; count < 10; count += 1) {
    queue.push(entry('steady', 1_000))
    queue.push(entry('late', 1_000))
  }
  const first = Array.from({ length: 10 }, () => queue.shift()?.organizationId)
  assert.ok(first.filter((id) => id === 'late').length <= 6)
})

test('an organization is charged what it used, not what it reserved', () => {
  const queue = createFairQueue(1_000)
  const starts = { wasteful: 0, exact: 0 }
  for (let count = 0; count < 40; count += 1) {
    queue.push(entry('wasteful', 4_096))
    queue.push(entry('exact', 200))
  }
  for (let slot = 0; slot < 2_000; slot += 1) {
    const id = queue.shift()?.organizationId === 'wasteful' ? 'wasteful' : 'exact'
    starts[id] += 1
    if (id === 'wasteful') queue.settle(id, 200 - 4_096)
    queue.push(entry(id, id === 'wasteful' ? 4_096 : 200))
  }
  assert.ok(starts.wasteful > 900 && starts.exact > 900, JSON.stringify(starts))
})

test('a single organization may fill half of the queue', () => {
  const queue = createFairQueue(4)
  assert.equal(queue.push(entry('greedy')), undefined)
  assert.equal(queue.push(entry('greedy')), undefined)
  const late = entry('greedy')
  assert.equal(queue.push(late), late)
  assert.equal(queue.length, 2)
})

test('a full queue drops the newest entry of the longest line, or the new one in a tie', () => {
  const queue = createFairQueue(3)
  const greedy = [entry('greedy'), entry('greedy')]
  for (const each of greedy) assert.equal(queue.push(each), undefined)
  assert.equal(queue.push(entry('modest')), undefined)
  assert.equal(queue.push(entry('another')), greedy[1])
  const late = entry('late')
  assert.equal(queue.push(late), late)
  assert.equal(queue.length, 3)
})

test('the queue keeps its bound and returns each entry exactly once', () => {
  const step = fc.oneof(
    fc.record({ push: fc.constantFrom('a', 'b', 'c'), tokens: fc.nat(1_000) }),
    fc.constant({ shift: true }),
    fc.record({ remove: fc.nat(20) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = createFairQueue(5)
      const inside = new Set<ReturnType<typeof entry>>()
      for (const each of steps) {
        if ('push' in each) {
          const pushed = entry(each.push, each.tokens)
          inside.add(pushed)
          const dropped = queue.push(pushed)
          if (dropped !== undefined) assert.ok(inside.delete(dropped))
        } else if ('remove' in each) {
          const chosen = [...inside][each.remove]
          if (chosen !== undefined) assert.ok(queue.remove(chosen) && inside.delete(chosen))
        } else {
          const shifted = queue.shift()
          assert.equal(shifted === undefined, inside.size === 0)
          if (shifted !== undefined) assert.ok(inside.delete(shifted))
        }
        assert.equal(queue.length, inside.size)
        assert.ok(queue.length <= 5)
      }
    }),
  )
})

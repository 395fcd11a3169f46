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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createFairQueue, type FairQueue, type Waiting } from './fair-queue.ts'
import { createVirtualTimes } from './virtual-times.ts'

type Entry = Waiting & { readonly cost: number }

const entry = (organizationId: string, cost = 10): Entry => ({ organizationId, cost })

const SIZE = { inputTokens: 0, outputTokensMax: 0, weight: 1 }

/** A queue with its virtual times, as a pool uses them. */
function openQueue(lengthMax: number) {
  const times = createVirtualTimes(() => queue)
  const queue: FairQueue<Entry> = createFairQueue<Entry>(() => lengthMax, times)
  const push = (pushed: Entry) => {
    times.learn(pushed.organizationId, 0, queue.lowest)
    return queue.push(pushed)
  }
  /** Starts the next; it costs `used` in the end. */
  const start = (used?: number) => {
    const [next] = queue.peek() ?? []
    if (next === undefined) return undefined
    queue.remove(next)
    const { organizationId, cost } = next
    times.started(organizationId, cost)
    const promptTokens = used ?? cost
    const use = { promptTokens, cachedTokens: 0, completionTokens: 0 }
    times.ended(organizationId, SIZE, cost, use)
    return next
  }
  return { times, queue, push, start }
}

test('organizations take turns, regardless of arrival order and number of requests', () => {
  const { push, start } = openQueue(100)
  for (let count = 0; count < 5; count += 1) push(entry('greedy'))
  push(entry('modest'))
  push(entry('modest'))
  const firstFour = Array.from({ length: 4 }, () => start()?.organizationId)
  assert.equal(firstFour.filter((id) => id === 'modest').length, 2)
})

test('an organization with larger requests is served less often', () => {
  const { push, start } = openQueue(1_000)
  for (let count = 0; count < 40; count += 1) {
    push(entry('large', 300))
    push(entry('small', 100))
  }
  const served = Array.from({ length: 40 }, () => start()?.organizationId)
  assert.equal(served.filter((id) => id === 'large').length, 10)
})

/** The share of tokens of an organization that always has one large request waiting, or soon. */
function shareOfCapture(lagSlots: number): number {
  const { push, start } = openQueue(256)
  const served = { large: 0, small: 0 }
  let due = 0
  for (let count = 0; count < 40; count += 1) push(entry('small', 200))
  for (let slot = 0; slot < 10_000; slot += 1) {
    if (due <= slot) {
      push(entry('large', 4_000))
      due = Infinity
    }
    const next = start()
    if (next === undefined) throw new Error('nobody waits')
    if (next.organizationId === 'small') {
      served.small += next.cost
      push(entry('small', 200))
    } else {
      served.large += next.cost
      due = slot + 1 + lagSlots
    }
  }
  return served.large / (served.large + served.small)
}

for (const lagSlots of [0, 1, 2, 4])
  test(`one request that always waits does not heartbeat a backlog, ${lagSlots} slots late`, () => {
    const share = shareOfCapture(lagSlots)
    assert.ok(share > 0.4 && share < 0.55, `${share}`)
  })

test('what an organization runs without waiting counts when others wait', () => {
  const { times, push, start } = openQueue(100)
  for (let count = 0; count < 2; count += 1) {
    times.learn('greedy', 0, Infinity)
    times.started('greedy', 1_000)
  }
  for (let count = 0; count < 10; count += 1) {
    push(entry('greedy', 100))
    push(entry('modest', 100))
  }
  const first = Array.from({ length: 10 }, () => start()?.organizationId)
  assert.equal(first.filter((id) => id === 'modest').length, 10)
})

test('idling earns nothing', () => {
  const { times, push, start } = openQueue(100)
  const use = (organizationId: string, cost: number) => {
    times.learn(organizationId, 0, Infinity)
    times.started(organizationId, cost)
    times.ended(organizationId, SIZE, cost, undefined)
  }
  use('late', 1)
  for (let count = 0; count < 100; count += 1) use('steady', 1_000)
  for (let count = 0; count < 10; count += 1) {
    push(entry('steady', 1_000))
    push(entry('late', 1_000))
  }
  const first = Array.from({ length: 10 }, () => start()?.organizationId)
  assert.ok(first.filter((id) => id === 'late').length <= 6)
})

test('what an organization used in other processes counts here', () => {
  const { times, push, start } = openQueue(100)
  times.learn('everywhere', 10_000, Infinity)
  for (let count = 0; count < 10; count += 1) {
    push(entry('everywhere', 100))
    push(entry('here', 100))
  }
  const first = Array.from({ length: 10 }, () => start()?.organizationId)
  assert.equal(first.filter((id) => id === 'here').length, 10)
})

test('an organization is charged what it used, not what it reserved', () => {
  const { push, start } = openQueue(1_000)
  const starts = { wasteful: 0, exact: 0 }
  for (let count = 0; count < 40; count += 1) {
    push(entry('wasteful', 4_096))
    push(entry('exact', 200))
  }
  for (let slot = 0; slot < 2_000; slot += 1) {
    const id = start(200)?.organizationId === 'wasteful' ? 'wasteful' : 'exact'
    starts[id] += 1
    push(entry(id, id === 'wasteful' ? 4_096 : 200))
  }
  assert.ok(starts.wasteful > 900 && starts.exact > 900, JSON.stringify(starts))
})

test('a single organization may fill half of the queue', () => {
  const { queue } = openQueue(4)
  assert.equal(queue.push(entry('greedy')), undefined)
  assert.equal(queue.push(entry('greedy')), undefined)
  const late = entry('greedy')
  assert.equal(queue.push(late), late)
  assert.equal(queue.length, 2)
})

test('a full queue drops the newest entry of the longest line, or the new one in a tie', () => {
  const { queue } = openQueue(3)
  const greedy = [entry('greedy'), entry('greedy')]
  for (const each of greedy) assert.equal(queue.push(each), undefined)
  assert.equal(queue.push(entry('modest')), undefined)
  assert.equal(queue.push(entry('another')), greedy[1])
  const late = entry('late')
  assert.equal(queue.push(late), late)
  assert.equal(queue.length, 3)
})

test('a new organization expects to wait for one start of each other, not for their lines', () => {
  const { queue } = openQueue(100)
  for (let count = 0; count < 20; count += 1) queue.push(entry('greedy'))
  assert.equal(queue.startsBefore('greedy'), 20)
  assert.equal(queue.startsBefore('modest'), 1)
  queue.push(entry('other'))
  assert.equal(queue.startsBefore('modest', ['greedy', 'absent'], 0.25), 1.25)
})

test('the order is that of virtual times, whatever happens in between', () => {
  const organizations = ['a', 'b', 'c', 'd', 'e', 'f']
  const organization = fc.constantFrom(...organizations)
  const step = fc.oneof(
    fc.record({ push: organization, engines: fc.constantFrom('', 'x', 'y') }),
    fc.record({ starts: organization, cost: fc.nat(1_000) }),
    fc.record({ ends: organization, used: fc.nat(1_000) }),
    fc.record({ remove: fc.nat(20) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { times, queue, push } = openQueue(1_000)
      const inside: Entry[] = []
      for (const each of steps) {
        if ('push' in each) {
          const pushed = { ...entry(each.push), engines: each.engines }
          if (push(pushed) === undefined) inside.push(pushed)
        } else if ('starts' in each) times.started(each.starts, each.cost)
        else if ('ends' in each) {
          const use = { promptTokens: each.used, cachedTokens: 0, completionTokens: 0 }
          times.ended(each.ends, SIZE, 0, use)
        } else inside.splice(each.remove, 1).forEach((gone) => queue.remove(gone))
        for (const [barred, full] of [
          ['', ''],
          ['a', ''],
          ['b', 'x'],
        ]) {
          const heads = organizations.flatMap(
            (id) => inside.find(({ organizationId }) => organizationId === id) ?? [],
          )
          const open = heads.filter(
            ({ organizationId, engines }) =>
              organizationId !== barred && (full === '' || engines !== full),
          )
          const lowest = Math.min(...open.map(({ organizationId }) => times.at(organizationId)))
          const next = queue.peek({
            mayRun: (id) => id !== barred,
            hasRoom: ({ engines }) => full === '' || engines !== full,
          })
          assert.equal(next?.[1] ?? Infinity, lowest)
          if (next !== undefined) assert.ok(open.includes(next[0]))
        }
      }
    }),
  )
})

test('the queue keeps its bound and returns each entry exactly once', () => {
  const step = fc.oneof(
    fc.record({ push: fc.constantFrom('a', 'b', 'c'), cost: fc.nat(1_000) }),
    fc.constant({ start: true }),
    fc.record({ remove: fc.nat(20) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { queue, start } = openQueue(5)
      const inside = new Set<Entry>()
      for (const each of steps) {
        if ('push' in each) {
          const pushed = entry(each.push, each.cost)
          inside.add(pushed)
          const dropped = queue.push(pushed)
          if (dropped !== undefined) assert.ok(inside.delete(dropped))
        } else if ('remove' in each) {
          const chosen = [...inside][each.remove]
          if (chosen !== undefined) assert.ok(queue.remove(chosen) && inside.delete(chosen))
        } else {
          const started = start()
          assert.equal(started === undefined, inside.size === 0)
          if (started !== undefined) assert.ok(inside.delete(started))
        }
        assert.equal(queue.length, inside.size)
        assert.ok(queue.length <= 5)
      }
    }),
  )
})

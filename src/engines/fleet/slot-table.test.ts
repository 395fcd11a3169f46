import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createSlotTable, type EngineAccess, type Place } from './slot-table.ts'

const key = (organizationId: string, prefix = 1, head = 0) => ({ organizationId, prefix, head })

/** A table on a clock of its own, of an engine that keeps its slots apart. */
function openTable(slots: number) {
  const state = { nowMs: 0, access: 'alone' as EngineAccess }
  const table = createSlotTable(
    slots,
    () => state.access,
    () => state.nowMs,
  )
  table.isolated = true
  /** A generation that ends as it should. */
  const run = (organizationId: string, prefix = 1, head = 0) => {
    state.nowMs += 1
    const place = table.take(key(organizationId, prefix, head))
    place.progressed()
    place.release(true)
    return place.use
  }
  return { table, state, run }
}

test('a slot is reused only by the organization whose prompt is in it', () => {
  const { run } = openTable(1)
  const uses = ['a', 'a', 'b', 'b', 'a'].map((organization) => run(organization).reuse)
  assert.deepEqual(uses, [false, true, false, true, false])
})

test('a conversation returns to its slot, and a new one takes a slot without an owner', () => {
  const { run } = openTable(3)
  const first = run('a', 1)
  const second = run('a', 2)
  const other = run('b', 3)
  assert.equal(new Set([first.slot, second.slot, other.slot]).size, 3)
  assert.deepEqual(run('a', 1), { slot: first.slot, reuse: true })
  assert.deepEqual(run('a', 2), { slot: second.slot, reuse: true })
})

test('with all slots owned, one with the same system messages is best, then the oldest', () => {
  const { run, state } = openTable(3)
  const [oldest, own] = [run('b', 1), run('a', 2, 7), run('c', 3)]
  assert.deepEqual(run('a', 4, 7), { slot: own?.slot, reuse: true })
  assert.deepEqual(run('d', 5), { slot: oldest?.slot, reuse: false })
  state.nowMs += 100_000
  const [later] = [run('a', 6, 7)]
  assert.notEqual(later?.slot, own?.slot)
})

test('a new owner that never got an answer does not own the slot', () => {
  const { table, run } = openTable(1)
  run('a')
  table.take(key('b')).release(false)
  assert.equal(run('b').reuse, false)
})

test('a slot whose generation was aborted has no new owner until it has settled', () => {
  const { table, state, run } = openTable(1)
  run('a')
  table.take(key('a')).release(false)
  assert.equal(run('a').reuse, true)
  table.take(key('a')).release(false)
  assert.deepEqual([run('b').reuse, run('b').reuse], [false, false])
  state.nowMs += 5_000
  assert.deepEqual([run('b').reuse, run('b').reuse], [false, true])
})

test('a shared engine chooses its slots and reuses nothing, and owners are forgotten', () => {
  const { table, state, run } = openTable(2)
  run('a')
  state.access = 'shared'
  const unplaced = table.take(key('a'))
  assert.deepEqual(unplaced.use, { slot: undefined, reuse: false })
  state.access = 'alone'
  assert.equal(run('a').slot, undefined)
  unplaced.release(true)
  assert.deepEqual([run('a').reuse, run('a').reuse], [false, true])
})

test('nothing is reused on an engine that was not seen to keep its slots apart', () => {
  const { table, run } = openTable(1)
  table.isolated = false
  assert.deepEqual([run('a').reuse, run('a').reuse], [false, false])
  table.isolated = true
  assert.deepEqual([run('a').reuse, run('a').reuse], [false, true])
})

test('property: no generation reuses what another organization put into its slot', () => {
  const step = fc.oneof(
    fc.record({ take: fc.constantFrom('a', 'b', 'c'), prefix: fc.nat(2) }),
    fc.record({ answer: fc.nat(5), ended: fc.boolean() }),
    fc.record({ access: fc.constantFrom<EngineAccess>('alone', 'shared'), isolated: fc.boolean() }),
    fc.record({ passMs: fc.nat(10_000) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { table, state } = openTable(3)
      // What the engine has in its slots. An answer means that it has replaced the prompt there.
      const inSlot = new Map<number, string>()
      const running: { readonly place: Place; readonly organization: string }[] = []
      for (const each of steps) {
        if ('take' in each && running.length < 3) {
          const place = table.take(key(each.take, each.prefix))
          const { slot, reuse } = place.use
          if (reuse) assert.equal(inSlot.get(slot ?? -1), each.take)
          running.push({ place, organization: each.take })
        } else if ('answer' in each) {
          const [ended] = running.splice(each.answer % 3, 1)
          if (ended === undefined) continue
          const { slot } = ended.place.use
          if (each.ended) {
            // The engine puts a generation without a slot of ours into any.
            if (slot === undefined) inSlot.clear()
            else inSlot.set(slot, ended.organization)
            ended.place.progressed()
          }
          ended.place.release(each.ended)
        } else if ('access' in each) {
          state.access = each.access
          table.isolated = each.isolated
        } else if ('passMs' in each) state.nowMs += each.passMs
      }
    }),
  )
})

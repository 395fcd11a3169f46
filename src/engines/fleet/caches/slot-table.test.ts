import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createSlotTable, type Place, type SlotTable } from './slot-table.ts'

const key = (organizationId: string, prefix = 1, head = 0) => ({ organizationId, prefix, head })

/** A table on a clock of its own, of an engine that keeps its slots apart and has settled. */
function openTable(slots: number) {
  const state = { nowMs: 0 }
  const table = createSlotTable(slots, () => state.nowMs)
  table.isolated = true
  state.nowMs = 5_000
  const runs = (organizationId: string, prefix = 1, head = 0) => {
    state.nowMs += 1
    return run(table, key(organizationId, prefix, head))
  }
  return { table, state, run: runs }
}

/** A generation that ends as it should. */
function run(table: SlotTable, wanted: ReturnType<typeof key>) {
  const place = table.take(wanted)
  place.progressed()
  place.release(true)
  return place.use
}

test('a slot is reused only by the organization whose prompt is in it', () => {
  const { run: send } = openTable(1)
  const uses = ['a', 'a', 'b', 'b', 'a'].map((organization) => send(organization).reuse)
  assert.deepEqual(uses, [false, true, false, true, false])
})

test('a conversation returns to its slot, and a new one takes a slot without an owner', () => {
  const { run: send } = openTable(3)
  const first = send('a', 1)
  const second = send('a', 2)
  const other = send('b', 3)
  assert.equal(new Set([first.slot, second.slot, other.slot]).size, 3)
  assert.deepEqual(send('a', 1), { slot: first.slot, reuse: true })
  assert.deepEqual(send('a', 2), { slot: second.slot, reuse: true })
})

test('with all slots owned, one with the same system messages is best, then the oldest', () => {
  const { run: send, state } = openTable(3)
  const [oldest, own] = [send('b', 1), send('a', 2, 7), send('c', 3)]
  assert.deepEqual(send('a', 4, 7), { slot: own?.slot, reuse: true })
  assert.deepEqual(send('d', 5), { slot: oldest?.slot, reuse: false })
  state.nowMs += 100_000
  const [later] = [send('a', 6, 7)]
  assert.notEqual(later?.slot, own?.slot)
})

test('a new owner that never got an answer does not own the slot', () => {
  const { table, run: send } = openTable(1)
  send('a')
  table.take(key('b')).release(false)
  assert.equal(send('b').reuse, false)
})

test('a slot whose generation was aborted has no new owner until it has settled', () => {
  const { table, state, run: send } = openTable(1)
  send('a')
  table.take(key('a')).release(false)
  assert.equal(send('a').reuse, true)
  table.take(key('a')).release(false)
  assert.deepEqual([send('b').reuse, send('b').reuse], [false, false])
  state.nowMs += 5_000
  assert.deepEqual([send('b').reuse, send('b').reuse], [false, true])
})

test('a generation that waits for a slot in use reuses nothing, and neither owns the slot', () => {
  const { table, run: send } = openTable(1)
  send('a')
  const [first, second] = [table.take(key('a')), table.take(key('b'))]
  assert.deepEqual([first.use.reuse, second.use], [true, { slot: 0, reuse: false }])
  for (const place of [first, second]) place.progressed()
  for (const place of [first, second]) place.release(true)
  assert.deepEqual([send('a').reuse, send('b').reuse], [false, false])
})

test('a new table trusts no slot until all have settled', () => {
  const { state } = openTable(1)
  const table = createSlotTable(1, () => state.nowMs)
  table.isolated = true
  const reuses = () => run(table, key('a')).reuse
  assert.deepEqual([reuses(), reuses(), table.isReusing], [false, false, false])
  state.nowMs += 5_000
  assert.deepEqual([reuses(), reuses(), table.isReusing], [false, true, true])
})

test('nothing is reused on an engine that was not seen to keep its slots apart', () => {
  const { table, run: send } = openTable(1)
  table.isolated = false
  assert.deepEqual([send('a').reuse, send('a').reuse], [false, false])
  table.isolated = true
  assert.deepEqual([send('a').reuse, send('a').reuse], [false, true])
})

test('property: no generation reuses what another organization put into its slot', () => {
  const step = fc.oneof(
    fc.record({ take: fc.constantFrom('a', 'b', 'c'), prefix: fc.nat(2) }),
    fc.record({ answer: fc.nat(5), ended: fc.boolean() }),
    fc.record({ isolated: fc.boolean() }),
    fc.record({ passMs: fc.nat(10_000) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { table, state } = openTable(3)
      // What the engine has in its slots. An answer means that it has replaced the prompt there.
      const inSlot = new Map<number, string>()
      const running: { readonly place: Place; readonly organization: string }[] = []
      for (const each of steps) {
        if ('take' in each && running.length < 4) {
          const place = table.take(key(each.take, each.prefix))
          const slot = place.use.slot ?? -1
          if (place.use.reuse) assert.equal(inSlot.get(slot), each.take)
          running.push({ place, organization: each.take })
        } else if ('answer' in each) {
          const [ended] = running.splice(each.answer % 4, 1)
          if (ended === undefined) continue
          if (each.ended) {
            inSlot.set(ended.place.use.slot ?? -1, ended.organization)
            ended.place.progressed()
          }
          ended.place.release(each.ended)
        } else if ('isolated' in each) {
          table.isolated = each.isolated
        } else if ('passMs' in each) state.nowMs += each.passMs
      }
    }),
  )
})

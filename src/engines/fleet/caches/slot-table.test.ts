import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  createSlotTable,
  type EngineAccess,
  type Place,
  type SlotExchange,
  type SlotTable,
} from './slot-table.ts'

const key = (organizationId: string, prefix = 1, head = 0) => ({ organizationId, prefix, head })

type Asked = Parameters<SlotExchange['take']>[0]
type Ended = Parameters<SlotExchange['release']>[0]

/** A table on a clock of its own, of an engine that keeps its slots apart. */
function openTable(slots: number) {
  const state = { nowMs: 0, access: 'closed' as EngineAccess, period: 0 }
  const asked: (Omit<Asked, 'running'> & { running: Map<number, number> })[] = []
  const ended: Ended[] = []
  let tickets = 0
  const exchange: SlotExchange = {
    nextTicket: () => (tickets += 1),
    take(ask) {
      asked.push({ ...ask, running: new Map(ask.running) })
      return Promise.resolve({ slot: 0, reuse: true })
    },
    release(end) {
      ended.push(end)
      return Promise.resolve()
    },
  }
  const table = createSlotTable(
    { name: 'engine', server: 'server', slots },
    { accessTo: () => state.access, periodOf: () => state.period, slots: exchange },
    () => state.nowMs,
  )
  table.isolated = true
  state.access = 'alone'
  const runs = (organizationId: string, prefix = 1, head = 0) => {
    state.nowMs += 1
    return run(table, key(organizationId, prefix, head))
  }
  return { table, state, exchange, asked, ended, run: runs }
}

/** A process that is alone does not wait for its place. */
function takeAtOnce(table: SlotTable, wanted: ReturnType<typeof key>): Place {
  const place = table.take(wanted)
  assert.ok(!(place instanceof Promise))
  return place
}

/** A generation that ends as it should. */
function run(table: SlotTable, wanted: ReturnType<typeof key>) {
  const place = takeAtOnce(table, wanted)
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
  takeAtOnce(table, key('b')).release(false)
  assert.equal(send('b').reuse, false)
})

test('a slot whose generation was aborted has no new owner until it has settled', () => {
  const { table, state, run: send } = openTable(1)
  send('a')
  takeAtOnce(table, key('a')).release(false)
  assert.equal(send('a').reuse, true)
  takeAtOnce(table, key('a')).release(false)
  assert.deepEqual([send('b').reuse, send('b').reuse], [false, false])
  state.nowMs += 5_000
  assert.deepEqual([send('b').reuse, send('b').reuse], [false, true])
})

test('a generation that waits for a slot in use reuses nothing, and neither owns the slot', () => {
  const { table, run: send } = openTable(1)
  send('a')
  const [first, second] = [takeAtOnce(table, key('a')), takeAtOnce(table, key('b'))]
  assert.deepEqual([first.use.reuse, second.use], [true, { slot: 0, reuse: false }])
  for (const place of [first, second]) place.progressed()
  for (const place of [first, second]) place.release(true)
  assert.deepEqual([send('a').reuse, send('b').reuse], [false, false])
})

test('a process that was not alone meanwhile trusts no slot until all have settled', () => {
  const { table, state, run: send } = openTable(1)
  assert.deepEqual([send('a').reuse, send('a').reuse, table.isReusing], [false, true, true])
  // Another process came and left while this one had nothing to do.
  state.period += 1
  assert.deepEqual([table.isReusing, send('a').reuse, send('a').reuse], [false, false, false])
  state.nowMs += 5_000
  assert.deepEqual([send('a').reuse, send('a').reuse, table.isReusing], [false, true, true])
})

test('a shared table is asked for a place, and told of all the generations', async () => {
  const { table, state, asked, ended } = openTable(2)
  const before = takeAtOnce(table, key('a'))
  state.access = 'shared'
  table.slots = 8
  const place = await table.take(key('b', 3, 4))
  assert.deepEqual(place.use, { slot: 0, reuse: true })
  const [ask] = asked
  assert.deepEqual([ask?.organizationId, ask?.prefix, ask?.head, ask?.slots], ['b', 3, 4, 8])
  assert.deepEqual(
    [...(ask?.running ?? [])],
    [
      [1, before.use.slot],
      [2, -1],
    ],
  )
  // Alone again, it does not use the slot before the generation has left it.
  Object.assign(state, { access: 'alone', period: 1 })
  before.release(true)
  assert.equal(takeAtOnce(table, key('c')).use.slot, 1)
  place.progressed()
  place.release(true)
  place.release(false)
  assert.deepEqual(ended, [{ server: 'server', ticket: 2, slot: 0, progressed: true, ended: true }])
})

test('a place that was given late is asked for again', async () => {
  const { table, state, exchange, asked } = openTable(2)
  state.access = 'shared'
  const take = exchange.take.bind(exchange)
  exchange.take = async (ask) => {
    const use = await take(ask)
    state.nowMs += asked.length === 1 ? 1_000 : 999
    return use
  }
  await table.take(key('a'))
  assert.deepEqual(
    asked.map(({ ticket }) => ticket),
    [1, 1],
  )
})

test('without a place, or on a closed engine, a generation is not sent', async () => {
  const { table, state, exchange, ended } = openTable(2)
  state.access = 'shared'
  exchange.take = () => Promise.reject(new Error('no reply'))
  await assert.rejects(async () => table.take(key('a')), { kind: 'busy' })
  // The slot may have been given although the reply was lost.
  assert.deepEqual([ended[0]?.ticket, ended[0]?.slot], [1, -1])
  state.access = 'closed'
  assert.throws(() => table.take(key('a')), { kind: 'busy' })
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
    fc.record({ others: fc.boolean(), isolated: fc.boolean() }),
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
          const place = takeAtOnce(table, key(each.take, each.prefix))
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
        } else if ('others' in each) {
          // Other processes put their prompts into every slot.
          if (each.others) {
            state.period += 1
            inSlot.clear()
          }
          table.isolated = each.isolated
        } else if ('passMs' in each) state.nowMs += each.passMs
      }
    }),
  )
})

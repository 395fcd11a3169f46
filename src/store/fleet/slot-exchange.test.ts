import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { requireStack } from '../../../test/harness/service.ts'
import { connectValkey } from '../../../test/harness/valkey.ts'
import { engineSlotsKey, engineUsersKey } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { openSlotExchange } from './slot-exchange.ts'

const PROCESSES = ['p', 'q']
const SETTLE_MS = 5_000

/** The table of an engine that no other test uses, and two processes that are registered. */
async function openTable(valkey: Valkey, slots: number) {
  const server = `engine-${crypto.randomUUID()}`
  const [table, users] = [engineSlotsKey(server), engineUsersKey(server)]
  const exchanges = new Map(PROCESSES.map((name) => [name, openSlotExchange(valkey, name)]))
  const running = new Map(PROCESSES.map((name) => [name, new Map<number, number>()]))
  const register = async (name: string, agoMs = 0) => {
    const [seconds, micros] = (await valkey.call('TIME', [])) as [string, string]
    const nowMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    await valkey.call('ZADD', [users, nowMs - agoMs, name])
  }
  for (const name of PROCESSES) await register(name)
  const exchangeOf = (name: string) => exchanges.get(name)!
  return {
    register,
    /** All that the table knows is so much older. */
    async pass(ms: number) {
      const fields = (await valkey.call('HGETALL', [table])) as string[]
      for (let index = 0; index < fields.length; index += 2) {
        const [field = '', text = ''] = fields.slice(index)
        if (field === 'run') continue
        const [used, settled, ...rest] = text.split(' ')
        const earlier = (moment = '0') => Math.max(0, Number(moment) - ms)
        const times = field === 'born' ? [earlier(used)] : [earlier(used), earlier(settled)]
        await valkey.call('HSET', [table, field, [...times, ...rest].join(' ')])
      }
    },
    lose: () => valkey.call('DEL', [table]),
    /** As if another server had taken over. */
    moveServer: () => valkey.call('HSET', [table, 'run', 'another']),
    async take(name: string, organizationId: string, prefix = 1, isolated = true) {
      const own = running.get(name)!
      const ticket = exchangeOf(name).nextTicket()
      const request = { server, slots, organizationId, prefix, head: 0, isolated }
      const ask = { ...request, ticket, running: own }
      const use = await exchangeOf(name).take(ask)
      own.set(ticket, use.slot)
      return {
        use,
        organizationId,
        name,
        again: () => exchangeOf(name).take(ask),
        /** Does not tell the table. */
        forget: () => own.delete(ticket),
        async release(progressed: boolean, ended: boolean) {
          own.delete(ticket)
          await exchangeOf(name).release({ server, ticket, slot: use.slot, progressed, ended })
        },
      }
    },
    die: (name: string) => running.get(name)!.clear(),
  }
}

type Table = Awaited<ReturnType<typeof openTable>>

async function connect(t: TestContext): Promise<Valkey> {
  const valkey = await connectValkey([requireStack().valkey.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  return valkey
}

/** A table that has settled: it begins with the first generation. */
async function openSettled(t: TestContext, slots: number): Promise<Table> {
  const table = await openTable(await connect(t), slots)
  await run(table, 'p', 'nobody')
  await table.pass(SETTLE_MS)
  return table
}

/** A generation that ends as it should. */
async function run(table: Table, name: string, organization: string, prefix = 1) {
  const taken = await table.take(name, organization, prefix)
  await taken.release(true, true)
  return taken.use
}

const reuses = async (table: Table, ...organizations: readonly string[]) => {
  const seen: boolean[] = []
  for (const [index, organization] of organizations.entries()) {
    const name = PROCESSES[index % PROCESSES.length] ?? ''
    seen.push((await run(table, name, organization)).reuse)
  }
  return seen
}

test('processes reuse what their organization has cached through any of them', async (t) => {
  const table = await openSettled(t, 1)
  const expected = [false, true, false, true, false]
  assert.deepEqual(await reuses(table, 'a', 'a', 'b', 'b', 'a'), expected)
})

test('a conversation returns to its slot from another process', async (t) => {
  const table = await openSettled(t, 3)
  const [first, second] = [await run(table, 'p', 'a', 1), await run(table, 'q', 'a', 2)]
  const other = await run(table, 'p', 'b', 3)
  assert.equal(new Set([first.slot, second.slot, other.slot]).size, 3)
  assert.deepEqual(await run(table, 'q', 'a', 1), { slot: first.slot, reuse: true })
  assert.deepEqual(await run(table, 'p', 'a', 2), { slot: second.slot, reuse: true })
})

test('an owner is recorded only after pieces, and not while an aborted one may run', async (t) => {
  const table = await openSettled(t, 1)
  await run(table, 'p', 'a')
  await (await table.take('q', 'b')).release(false, true)
  assert.deepEqual(await reuses(table, 'b', 'b'), [false, true])
  await (await table.take('q', 'b')).release(true, false)
  assert.deepEqual(await reuses(table, 'b', 'a', 'a'), [true, false, false])
  await table.pass(SETTLE_MS)
  assert.deepEqual(await reuses(table, 'a', 'a'), [false, true])
})

test('two processes do not get one slot while another is free', async (t) => {
  const table = await openSettled(t, 2)
  const [first, second] = [await table.take('p', 'a'), await table.take('q', 'a')]
  assert.notEqual(first.use.slot, second.use.slot)
  const waiting = await table.take('q', 'b')
  assert.equal(waiting.use.reuse, false)
  // The engine runs them in any order, so nobody knows whose prompt remains.
  const slot = waiting.use.slot === first.use.slot ? first : second
  await slot.release(true, true)
  await waiting.release(true, true)
  for (const taken of [first, second]) await taken.release(true, true)
  const uses = [await table.take('p', 'a', 9), await table.take('p', 'b', 9)]
  const mixed = uses.find(({ use }) => use.slot === waiting.use.slot)
  assert.equal(mixed?.use.reuse, false)
})

test('the slot of a dead process is free after its lease, without an owner', async (t) => {
  const table = await openSettled(t, 2)
  const kept = await run(table, 'p', 'b')
  const dying = await table.take('q', 'a')
  assert.notEqual(dying.use.slot, kept.slot)
  table.die('q')
  // Within its lease the slot is in use.
  assert.equal((await run(table, 'p', 'a')).slot, kept.slot)
  await table.register('q', 4_000)
  const [own, next] = [await table.take('p', 'a'), await table.take('p', 'a')]
  assert.deepEqual([own.use.slot, next.use], [kept.slot, { slot: dying.use.slot, reuse: false }])
  for (const taken of [own, next]) await taken.release(true, true)
  // What it sent may still reach its slot, so that it has no owner yet.
  const [first, second] = [await table.take('p', 'a'), await table.take('p', 'a')]
  assert.deepEqual(
    [first.use.slot, second.use],
    [kept.slot, { slot: dying.use.slot, reuse: false }],
  )
  await dying.release(true, true)
  assert.equal(second.use.reuse, false)
})

test('a table that was lost has no owners, and records none before all has settled', async (t) => {
  const table = await openSettled(t, 1)
  for (const lose of [() => table.lose(), () => table.moveServer()]) {
    assert.deepEqual(await reuses(table, 'c', 'c'), [false, true])
    await lose()
    assert.deepEqual(await reuses(table, 'c', 'c'), [false, false])
    await table.pass(SETTLE_MS)
    assert.deepEqual(await reuses(table, 'c', 'c'), [false, true])
    await run(table, 'p', 'a')
  }
})

test('generations that the table does not know are in their slots', async (t) => {
  const table = await openSettled(t, 2)
  const before = await table.take('p', 'a')
  await table.lose()
  const next = await table.take('p', 'a')
  assert.notEqual(next.use.slot, before.use.slot)
  await before.release(true, true)
  assert.equal((await table.take('q', 'b')).use.slot, before.use.slot)
})

test('a lost reply is repeated, and a lost release is noticed', async (t) => {
  const table = await openSettled(t, 2)
  await run(table, 'p', 'a')
  const first = await table.take('p', 'a')
  assert.deepEqual(await first.again(), first.use)
  first.forget()
  // The slot is free again, but a generation may still run in it.
  const [second, third] = [await table.take('p', 'a'), await table.take('p', 'a')]
  assert.notEqual(second.use.slot, third.use.slot)
  assert.deepEqual([second.use.reuse, third.use.reuse], [false, false])
})

test('nothing is reused or recorded for a process that did not see slots apart', async (t) => {
  const table = await openSettled(t, 1)
  await run(table, 'p', 'a')
  const unsure = await table.take('q', 'a', 1, false)
  assert.equal(unsure.use.reuse, false)
  await unsure.release(true, true)
  assert.deepEqual(await reuses(table, 'a', 'a'), [false, true])
})

test('a check gets a slot that is free, or none', async (t) => {
  const table = await openSettled(t, 1)
  const first = await table.take('p', '')
  assert.equal(first.use.slot, 0)
  assert.equal((await table.take('q', '')).use.slot, -1)
  await first.release(false, true)
  assert.equal((await table.take('q', '')).use.slot, 0)
})

test('property: no process reuses what another organization put into a slot', async (t) => {
  const valkey = await connect(t)
  const name = fc.constantFrom(...PROCESSES)
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ take: fc.constantFrom('a', 'b', 'c'), name }) },
    { weight: 6, arbitrary: fc.record({ answer: fc.nat(5), ended: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ die: name }) },
    { weight: 1, arbitrary: fc.record({ lose: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ passMs: fc.nat(10_000) }) },
  )
  const check = async (
    steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  ) => {
    const table = await openTable(valkey, 2)
    await run(table, 'p', 'nobody')
    await table.pass(SETTLE_MS)
    // What the engine has in its slots.
    const inSlot = new Map([[0, 'nobody']])
    const running: Awaited<ReturnType<Table['take']>>[] = []
    // Requests that nobody waits for any more, and that the engine may still begin.
    let stray: { readonly slot: number; readonly organizationId: string; leftMs: number }[] = []
    const reach = () => {
      for (const { slot, organizationId } of stray) inSlot.set(slot, organizationId)
    }
    for (const each of steps) {
      if ('take' in each && running.length < 3) {
        await table.register(each.name)
        const taken = await table.take(each.name, each.take)
        reach()
        const { slot, reuse } = taken.use
        const before = running.filter(({ use }) => use.slot === slot)
        const prompts = [inSlot.get(slot), ...before.map(({ organizationId }) => organizationId)]
        if (reuse) assert.deepEqual(new Set([...prompts, each.take]), new Set([each.take]))
        running.push(taken)
      } else if ('answer' in each) {
        const wanted = running[each.answer % 3]
        // A slot runs what it was sent in that order.
        const ended = running.find(({ use }) => use.slot === wanted?.use.slot)
        if (ended === undefined) continue
        running.splice(running.indexOf(ended), 1)
        const { use, organizationId } = ended
        if (each.ended) inSlot.set(use.slot, organizationId)
        else stray.push({ slot: use.slot, organizationId, leftMs: SETTLE_MS })
        await ended.release(each.ended, each.ended)
      } else if ('die' in each) {
        table.die(each.die)
        await table.register(each.die, 4_000)
        for (const dead of running.filter((taken) => taken.name === each.die)) {
          running.splice(running.indexOf(dead), 1)
          const { use, organizationId } = dead
          stray.push({ slot: use.slot, organizationId, leftMs: SETTLE_MS })
        }
      } else if ('lose' in each) await (each.lose ? table.lose() : table.moveServer())
      else if ('passMs' in each) {
        await table.pass(each.passMs)
        reach()
        stray = stray.map((one) => ({ ...one, leftMs: one.leftMs - each.passMs }))
        stray = stray.filter(({ leftMs }) => leftMs > 0)
      }
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), check))
})

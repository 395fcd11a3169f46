import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createHeartbeat, type Heartbeat } from '../../src/engines/fleet/heartbeat.ts'
import type { Lease } from '../../src/engines/fleet/capacity/lease.ts'
import { createLeases, type Ask } from '../../src/engines/fleet/capacity/leases.ts'
import { createHeldCounts } from '../../src/engines/fleet/placement/held-counts.ts'
import { shareSummary } from '../../src/engines/fleet/share-summary.ts'
import { openHeartbeatExchange } from '../../src/store/fleet/heartbeat-exchange.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { keepLines } from '../harness/lines.ts'
import { createRandom } from '../harness/figures/random.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'

const POOL = 'model'

/** A process of the fleet: its leases, and what its one pool asks for. */
type Process = {
  /** A heartbeat with figures. */
  exchange(): Promise<void>
  readonly leases: readonly Lease[]
  ask: Ask | undefined
  headElsewhere(): number | undefined
  dropPool(): void
}

async function openValkey(t: TestContext) {
  const server = await startValkey()
  const valkey = await connectValkey([server.url])
  t.after(async () => {
    await valkey[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return { server, valkey }
}

type Opening = { readonly engines: readonly string[]; readonly slots: number }

/** Heartbeats only when `heartbeat.next()` asks for it, or at its own pace. */
async function join(
  t: TestContext,
  valkey: Pick<Valkey, 'call'>,
  { engines, slots }: Opening,
): Promise<Process> {
  const leases = createLeases(() => heartbeat)
  const summary = shareSummary(leases, createHeldCounts(), () => engines)
  const parts = { leases: leases.part, summary }
  const { log } = keepLines()
  const heartbeat: Heartbeat = createHeartbeat(
    openHeartbeatExchange(valkey),
    crypto.randomUUID(),
    parts,
    log,
  )
  t.after(() => heartbeat[Symbol.asyncDispose]())
  const held = engines.map((engine) => leases.leaseOf(engine, slots))
  const described = engines.map(
    (name) => [name, { slots, pools: [POOL], identities: { [name]: [POOL] }, known: {} }] as const,
  )
  leases.describe(new Map(described))
  const joined: Process = {
    async exchange() {
      heartbeat.hurryFigures()
      await heartbeat.next()
    },
    leases: held,
    ask: undefined,
    headElsewhere: () => leases.headsOf(POOL).head,
    dropPool: () => leases.dropPool(POOL),
  }
  leases.addPool(POOL, { ask: () => joined.ask, onReply: () => undefined })
  await heartbeat.start()
  return joined
}

const sum = (leases: readonly Lease[]) => leases.reduce((total, { held }) => total + held, 0)

test('a process that is alone holds every slot; a second one gets its part', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one', 'two'], slots: 8 }
  const first = await join(t, valkey, fleet)
  assert.equal(sum(first.leases), 16)
  const second = await join(t, valkey, fleet)
  // It learns of the other one, tells everything, learns its part, and gives back.
  for (let heartbeats = 0; heartbeats < 4; heartbeats += 1) await first.exchange()
  assert.ok(sum(first.leases) <= 4, 'it gave back what it may not keep unused')
  await second.exchange()
  second.ask = { want: 16, head: 1, homes: ['two'] }
  await second.exchange()
  assert.ok(second.leases.some(({ engine, held }) => engine === 'two' && held > 0))
  await first.exchange()
  assert.equal(first.headElsewhere(), 1)
  await first.exchange()
  // Nothing unused is kept while another one waits.
  assert.equal(sum(first.leases), 0)
  second.ask = { want: 16, head: 1, homes: [] }
  await second.exchange()
  assert.equal(sum(second.leases), 16)
})

test('spare slots go back when an engine may run less, though nothing else changes', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one'], slots: 16 }
  const processes = [await join(t, valkey, fleet), await join(t, valkey, fleet)]
  const heartbeat = async () => {
    for (let heartbeats = 0; heartbeats < 8; heartbeats += 1)
      for (const each of processes) await each.exchange()
  }
  const held = () => processes.reduce((total, { leases }) => total + sum(leases), 0)
  await heartbeat()
  assert.ok(held() > 1)
  await valkey.call('HSET', ['{fleet:main}:bound', 'one', '1'])
  await heartbeat()
  assert.ok(held() <= 1, `${held()} are held`)
})

test('an engine runs less when its capacity is lowered, though requests wait', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one'], slots: 8 }
  const processes = [await join(t, valkey, fleet), await join(t, valkey, fleet)]
  /** Each generation that ends is followed by another one at once, if there is room. */
  const work = async () => {
    for (const each of processes) {
      each.ask = { want: 8, head: 1, homes: [] }
      const [lease] = each.leases
      if (lease === undefined) continue
      if (lease.running > 0) lease.ended()
      while (lease.hasRoom) lease.took()
      await each.exchange()
      while (lease.hasRoom) lease.took()
    }
  }
  const running = () => processes.reduce((total, { leases }) => total + leases[0]!.running, 0)
  for (let turn = 0; turn < 8; turn += 1) await work()
  assert.equal(running(), 8)
  await valkey.call('HSET', ['{fleet:main}:bound', 'one', '3'])
  for (let turn = 0; turn < 16; turn += 1) await work()
  assert.ok(running() <= 3, `${running()} run`)
})

test('many processes together never hold more slots than an engine has', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one', 'two', 'three'], slots: 5 }
  const random = createRandom(7)
  const processes = await Promise.all(Array.from({ length: 8 }, () => join(t, valkey, fleet)))
  let most = 0
  const check = () => {
    for (const index of fleet.engines.keys()) {
      const held = processes.reduce((total, { leases }) => total + (leases[index]?.held ?? 0), 0)
      assert.ok(held <= fleet.slots, `${held} of ${fleet.slots} are held`)
      most = Math.max(most, held)
    }
  }
  await Promise.all(
    processes.map(async (each) => {
      for (let turn = 0; turn < 60; turn += 1) {
        for (const lease of each.leases) {
          while (lease.running > 0 && random.between(0, 2) > 0) lease.ended()
          while (lease.hasRoom && random.between(0, 3) > 0) lease.took()
        }
        const want = random.between(0, 12)
        const head = random.between(1, 1_000)
        const homes = [random.pick(fleet.engines)]
        each.ask = want === 0 ? undefined : { want, head, homes }
        await each.exchange()
        check()
      }
    }),
  )
  assert.equal(most, fleet.slots)
})

test('the slots of a process that fell silent go to others', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one'], slots: 4 }
  let silent = false
  const unavailable = { name: 'ValkeyUnavailable', message: '' }
  const cut = {
    call: (name: string, args: Parameters<Valkey['call']>[1]) =>
      silent ? Promise.reject(unavailable) : valkey.call(name, args),
  }
  const first = await join(t, cut, fleet)
  assert.equal(sum(first.leases), 4)
  first.leases[0]?.took()
  silent = true
  const second = await join(t, valkey, fleet)
  second.ask = { want: 4, head: 1, homes: [] }
  const startedMs = performance.now()
  while (sum(second.leases) < 4) await second.exchange()
  assert.ok(performance.now() - startedMs >= 4_000, 'not before it stopped to start generations')
  assert.equal(first.leases[0]?.hasRoom, false)
})

test('after a loss of data a process that is cut off loses nothing that it may use', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one'], slots: 4 }
  let silent = false
  const cut = {
    call: (name: string, args: Parameters<Valkey['call']>[1]) =>
      silent
        ? Promise.reject(Object.assign(new Error('cut'), { name: 'ValkeyUnavailable' }))
        : valkey.call(name, args),
  }
  const first = await join(t, cut, fleet)
  const second = await join(t, valkey, fleet)
  for (let heartbeats = 0; heartbeats < 4; heartbeats += 1) await first.exchange()
  assert.equal(sum(first.leases), 1)
  silent = true
  await valkey.call('FLUSHALL', [])
  second.ask = { want: 4, head: 1, homes: [] }
  let both = 0
  while (sum(second.leases) < 4) {
    await second.exchange()
    const usable = first.leases[0]?.hasRoom === true ? 1 : 0
    both = Math.max(both, sum(second.leases) + usable)
  }
  assert.equal(both, 4)
})

test('a pool that was dropped is waited for no longer, and asked no more', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one'], slots: 1 }
  const first = await join(t, valkey, fleet)
  const second = await join(t, valkey, fleet)
  first.leases[0]?.took()
  second.ask = { want: 1, head: 1, homes: [] }
  await second.exchange()
  await first.exchange()
  assert.equal(first.headElsewhere(), 1)
  second.dropPool()
  await second.exchange()
  await first.exchange()
  assert.equal(first.headElsewhere(), undefined)
})

test('after a loss of data no slot is granted twice', async (t) => {
  const { valkey } = await openValkey(t)
  const fleet = { engines: ['one'], slots: 4 }
  const first = await join(t, valkey, fleet)
  for (let count = 0; count < 3; count += 1) first.leases[0]?.took()
  const second = await join(t, valkey, fleet)
  await first.exchange()
  await first.exchange()
  await valkey.call('FLUSHALL', [])
  second.ask = { want: 4, head: 1, homes: [] }
  await second.exchange()
  assert.equal(sum(second.leases), 0)
  while (sum(second.leases) === 0) await second.exchange()
  assert.equal(sum(second.leases), 1)
})

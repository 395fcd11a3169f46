import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { crc32 } from 'node:zlib'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import { createHeldCounts } from '../../src/engines/fleet/placement/held-counts.ts'
import { shareSummary } from '../../src/engines/fleet/share-summary.ts'
import { openHeartbeatExchange } from '../../src/store/fleet/heartbeat-exchange.ts'

type Learned = readonly [leased: number, bound: number]
type Reply = { readonly summary: object }

/** Processes that describe engines, count conversations and read the summary. */
async function openProcesses(t: TestContext) {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  const join = (process: string, slots: Readonly<Record<string, number>>) => {
    const learned = new Map<string, Learned>()
    const learn = (name: string, ...counts: Learned) => void learned.set(name, counts)
    const held = createHeldCounts()
    const part = shareSummary({ learn }, held, () => Object.keys(slots))
    const names = Object.keys(slots)
    const none = names.map(() => 0)
    const texts = names.map((name) => {
      const identities = { [`${name} http://${name} m`]: ['m'] }
      return [name, JSON.stringify({ slots: slots[name], identities, known: {} })] as const
    })
    const described = Object.fromEntries(texts)
    let whole = true
    const heartbeat = async () => {
      const leases = { whole, names, keep: none, running: none, described }
      const summary = part.report({ whole, figures: true })
      const reply = await exchange({ process, known: !whole, figures: true, leases, summary })
      whole = false
      part.accept((reply as Reply).summary)
    }
    return { learned, held, heartbeat }
  }
  return { join, exchange, valkey }
}

test('a process learns of all engines what is leased and what may run', async (t) => {
  const { join } = await openProcesses(t)
  const first = join('first', { one: 8, two: 300 })
  await first.heartbeat()
  // A process that is alone gets every slot.
  assert.deepEqual(Object.fromEntries(first.learned), {
    one: [8, 8],
    two: [300, 300],
  })
})

test('the conversations that processes count are added up, also when one leaves', async (t) => {
  const { join, exchange } = await openProcesses(t)
  const [first, second] = [join('first', { one: 8 }), join('second', { one: 8 })]
  const seed = crc32('one')
  first.held.add(seed, 5_000)
  second.held.add(seed, 2)
  await first.heartbeat()
  await second.heartbeat()
  assert.equal(second.held.of(seed), 5_002)
  await exchange({ process: 'second', leaving: true })
  while (first.held.of(seed) !== 5_000) await first.heartbeat()
})

test('a process that knows another order gets the names again', async (t) => {
  const { join } = await openProcesses(t)
  const first = join('first', { one: 8 })
  await first.heartbeat()
  const second = join('second', { one: 8, two: 4 })
  await second.heartbeat()
  await first.heartbeat()
  assert.deepEqual([...first.learned.keys()].toSorted(), ['one', 'two'])
})

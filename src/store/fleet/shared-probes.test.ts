import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { openSharedProbes } from './shared-probes.ts'

const NEVER = new AbortController().signal

/** Processes of one fleet, and how often they probed. */
async function openFleet(t: TestContext, processes: number) {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  let probes = 0
  const opened = Array.from({ length: processes }, async () => {
    const valkey = await connectValkey([server.url])
    t.after(() => valkey[Symbol.asyncDispose]())
    return openSharedProbes(valkey)
  })
  const probe = async () => ({ text: true, number: (probes += 1) })
  return { server, fleet: await Promise.all(opened), probe }
}

test('one process probes an engine, and all have what it found', async (t) => {
  const { fleet, probe } = await openFleet(t, 8)
  const share = (engine: string) =>
    Promise.all(fleet.map((process) => process.share(engine, probe, NEVER)))
  assert.deepEqual(
    await share('one'),
    fleet.map(() => ({ text: true, number: 1 })),
  )
  assert.deepEqual(
    await share('two'),
    fleet.map(() => ({ text: true, number: 2 })),
  )
})

test('an engine is probed again when a probe failed or it was forgotten', async (t) => {
  const { fleet, probe } = await openFleet(t, 2)
  const [one, two] = fleet as [(typeof fleet)[number], (typeof fleet)[number]]
  const failing = () => Promise.reject(new Error('unreachable'))
  await assert.rejects(one.share('one', failing, NEVER), /unreachable/)
  assert.equal((await two.share('one', probe, NEVER)).number, 1)
  assert.equal((await one.share('one', probe, NEVER)).number, 1)
  await two.forget('one')
  assert.equal((await one.share('one', probe, NEVER)).number, 2)
})

test('without Valkey a process probes for itself', async (t) => {
  const { server, fleet, probe } = await openFleet(t, 1)
  await server[Symbol.asyncDispose]()
  assert.equal((await fleet[0]!.share('one', probe, NEVER)).number, 1)
  await fleet[0]!.forget('one')
})

test('a process that waits for the probe of another ends with its signal', async (t) => {
  const { fleet, probe } = await openFleet(t, 2)
  const begun = Promise.withResolvers<void>()
  const probing = Promise.withResolvers<{ text: boolean; number: number }>()
  const slow = () => {
    begun.resolve()
    return probing.promise
  }
  const first = fleet[0]!.share('one', slow, NEVER)
  await begun.promise
  const ending = new AbortController()
  const second = fleet[1]!.share('one', probe, ending.signal)
  ending.abort()
  await assert.rejects(second, { name: 'AbortError' })
  probing.resolve({ text: true, number: 7 })
  assert.equal((await first).number, 7)
})

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'

const POOL = 'model'
const SLOTS = 1

type Reply = {
  readonly leases: { readonly held: number[]; readonly more: Readonly<Record<string, number>> }
}

type Report = { readonly keep: number; readonly head?: number }

/** Three processes that all have the same engines, of one slot each. */
async function openProcesses(t: TestContext, names: readonly string[]) {
  const server = await startValkey()
  t.after(() => server.kill())
  const valkey = await connectValkey([server.url], { timeoutMs: 30_000 })
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  /** What a process holds after it said what it keeps of each engine, and whether it waits. */
  const heartbeat = async (process: string, { keep, head }: Report, known = true) => {
    const counts = names.map(() => keep)
    const asks = head === undefined ? {} : { [POOL]: [1, head, []] }
    const leases = { names, keep: counts, running: counts, asks }
    const reply = (await exchange({ process, known, leases })) as Reply
    const { held, more } = reply.leases
    return [...held, ...Object.values(more)].reduce((sum, count) => sum + count, 0)
  }
  const identities = (name: string) => ({ [`${name} http://${name} m`]: [POOL] })
  const described = Object.fromEntries(
    names.map((name) => [name, JSON.stringify({ slots: SLOTS, identities: identities(name) })]),
  )
  const none = names.map(() => 0)
  const leases = { names, keep: none, running: none, described }
  for (const process of ['holder', 'early', 'late'])
    await exchange({ process, known: false, leases })
  return { heartbeat, exchange }
}

test('a free slot is left for the process whose request was served less', async (t) => {
  const { heartbeat, exchange } = await openProcesses(t, ['one'])
  const needs = { names: ['one'], keep: [0], running: [0], needs: [1] }
  await exchange({ process: 'holder', known: true, leases: needs })
  assert.equal(await heartbeat('early', { keep: 0, head: 10 }), 0)
  assert.equal(await heartbeat('late', { keep: 0, head: 20 }), 0)
  await heartbeat('holder', { keep: 0 })
  assert.equal(await heartbeat('late', { keep: 0, head: 20 }), 0)
  assert.equal(await heartbeat('early', { keep: 0, head: 10 }), 1)
})

test('nobody waits for a process that is ahead while there is a slot for both', async (t) => {
  const { heartbeat, exchange } = await openProcesses(t, ['one', 'two'])
  const needs = { names: ['one', 'two'], keep: [0, 0], running: [0, 0], needs: [1, 1] }
  await exchange({ process: 'holder', known: true, leases: needs })
  assert.equal(await heartbeat('early', { keep: 0, head: 10 }), 0)
  await heartbeat('holder', { keep: 0 })
  assert.equal(await heartbeat('late', { keep: 0, head: 20 }), 1)
  assert.equal(await heartbeat('early', { keep: 0, head: 10 }), 1)
})

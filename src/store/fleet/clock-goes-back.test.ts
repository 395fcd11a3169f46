import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'
// A failover may lead to a server whose clock is behind: then times that it stores are ahead.

const HOUR_MS = 3_600_000
const ENGINE = 'one 127.0.0.1:1 model'

type Reply = {
  readonly watch: Readonly<Record<string, 1>>
  readonly states: { readonly checks: readonly string[] | Readonly<Record<string, never>> }
}

async function openStore(t: TestContext) {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  const report = async (process: string, parts: object = {}) =>
    (await exchange({ process, known: false, figures: true, ...parts })) as Reply
  const key = (name: string) => `{fleet:main}:${name}`
  return { valkey, report, key }
}

test('an engine that is out is tried as soon as the times are ahead', async (t) => {
  const { valkey, report, key } = await openStore(t)
  const ready = { state: 'ready', why: '', level: 0, tries: 0, limit: false }
  const told = { ...ready, ageMs: 0, leftMs: 0, probedMs: false }
  const events = [
    { engine: ENGINE, kind: 'known', told },
    { engine: ENGINE, kind: 'refused', why: 'refused' },
  ]
  const out = await report('a', { states: { version: 0, events } })
  assert.deepEqual(Object.values(out.states.checks), [])
  await valkey.call('ZADD', [key('due'), Date.now() + HOUR_MS, ENGINE])
  // What is ahead counts as due from this call on.
  await report('a', { states: { version: 0, events: [] } })
  const stored = String(await valkey.call('HGET', [key('states'), ENGINE]))
  assert.match(stored, /"state":"trial"/)
})

test('a process that fell silent is forgotten 5 s later, not after the difference', async (t) => {
  const { valkey, report, key } = await openStore(t)
  await report('silent')
  await valkey.call('ZADD', [key('processes'), Date.now() + HOUR_MS, 'silent'])
  await report('a')
  const atMs = Number(await valkey.call('ZSCORE', [key('processes'), 'silent']))
  assert.ok(atMs <= Date.now(), 'one that lives has 5 s to say so')
})

test('an election that lasts longer than any does is over', async (t) => {
  const { valkey, report, key } = await openStore(t)
  await report('a', { watch: ['one'] })
  assert.deepEqual((await report('b', { watch: ['one'] })).watch, {})
  await valkey.call('HSET', [key('watchers'), 'one', `a ${Date.now() + HOUR_MS}`])
  assert.deepEqual((await report('b', { watch: ['one'] })).watch, { one: 1 })
})

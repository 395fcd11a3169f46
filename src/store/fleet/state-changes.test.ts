import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'

const ENGINES = 200
const READY = { state: 'ready', why: '', level: 0, tries: 0, limit: false }
const TOLD = { ...READY, ageMs: 0, leftMs: 0, probedMs: false }

type Reply = {
  readonly states: { readonly version: number; readonly engines: Readonly<Record<string, object>> }
}

test('a changed state costs a process one read, however many engines there are', async (t) => {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  const send = async (process: string, version: number, events: readonly object[] = []) =>
    ((await exchange({ process, known: false, states: { version, events } })) as Reply).states
  const names = Array.from({ length: ENGINES }, (_, index) => `engine-${index} 127.0.0.1:1 model`)
  const known = names.map((engine) => ({ kind: 'known', engine, told: TOLD }))
  const { version } = await send('a', 0, known)
  await send('a', version, [{ kind: 'refused', engine: names[7], why: 'refused' }])
  await valkey.call('CONFIG', ['RESETSTAT'])
  const { engines } = await send('b', version)
  assert.deepEqual(Object.keys(engines), [names[7]])
  const stats = String(await valkey.call('INFO', ['commandstats']))
  const callsOf = (command: string) =>
    Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
  assert.equal(callsOf('hget'), 1)
  // Orders of operators.
  assert.equal(callsOf('hgetall'), 1)
})

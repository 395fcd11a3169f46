import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'

type Reply = {
  readonly placements: {
    readonly exceptions: string
    readonly at: number
    readonly more: number
  }
}

/** A store of its own: the fleet is one for all processes of a server. */
async function openFleet(t: TestContext) {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  const heartbeat = async (process: string, placements: object = {}) => {
    const nothing = { exceptions: '', after: 0 }
    const reply = await exchange({ process, placements: { ...nothing, ...placements } })
    return (reply as Reply).placements
  }
  return { heartbeat, valkey }
}

const exception = (number: number) => String(number).padStart(12, '0')
const exceptions = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => exception(first + index)).join('')

test('each process reads the exceptions of all, once', async (t) => {
  const { heartbeat } = await openFleet(t)
  const one = await heartbeat('one', { exceptions: exceptions(1, 2) })
  assert.deepEqual([one.exceptions, one.at, one.more], [exceptions(1, 2), 2, 0])
  const two = await heartbeat('two', { exceptions: exceptions(3, 1), after: 0 })
  assert.deepEqual([two.exceptions, two.at], [exceptions(1, 3), 3])
  const again = await heartbeat('one', { after: one.at })
  assert.deepEqual([again.exceptions, again.at], [exceptions(3, 1), 3])
  assert.equal((await heartbeat('one', { after: again.at })).exceptions, '')
})

test('the last 10,000 exceptions are stored, and read 1,000 at a time', async (t) => {
  const { heartbeat, valkey } = await openFleet(t)
  for (let first = 0; first < 10_250; first += 250)
    await heartbeat('one', { exceptions: exceptions(first, 250), after: first + 250 })
  assert.equal(await valkey.call('LLEN', ['{fleet}:main:exceptions']), 10_000)
  let reply = await heartbeat('two')
  assert.deepEqual([reply.exceptions, reply.more], [exceptions(250, 1_000), 9_000])
  let read = reply.exceptions
  while (reply.more > 0) {
    reply = await heartbeat('two', { after: reply.at })
    read += reply.exceptions
  }
  assert.equal(read, exceptions(250, 10_000))
})

test('a process that has read more than the store has begins again', async (t) => {
  const { heartbeat } = await openFleet(t)
  const reply = await heartbeat('one', { exceptions: exceptions(1, 2), after: 500 })
  assert.deepEqual([reply.exceptions, reply.at], [exceptions(1, 2), 2])
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { requireStack } from '../../../test/harness/processes/service.ts'
import { openValkey, ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'
import { createLoginLimits, type LoginLimits, type LoginSubject } from './login-limits.ts'

async function connect(t: TestContext): Promise<Valkey> {
  const valkey = openValkey([requireStack().valkey.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  await valkey.connected(5_000)
  return valkey
}

/** How long it must wait; undoes nothing. */
async function waitOf(limits: LoginLimits, subject: LoginSubject): Promise<number> {
  return (await limits.attempt(subject)).waitMs
}

function newSubject(): LoginSubject {
  return { kind: 'email', email: `${randomUUID()}@example.com` }
}

/** A stub for what no real server does on demand: being unreachable in this very moment. */
const UNREACHABLE = { call: () => Promise.reject(new ValkeyUnavailable('no reply')) }

test('of 500 attempts at the same time 10 may be made, however they end', async (t) => {
  const limits = createLoginLimits(await connect(t))
  const subject = newSubject()
  const waits = await Promise.all(Array.from({ length: 500 }, () => waitOf(limits, subject)))
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 10)
  assert.ok(waits.every((waitMs) => waitMs === 0 || (waitMs > 25_000 && waitMs <= 30_000)))
  assert.equal(await waitOf(limits, newSubject()), 0)
})

test('the delay doubles with each failure, up to 15 minutes, and is counted once', async (t) => {
  const valkey = await connect(t)
  const keys = new Set<string>()
  const limits = createLoginLimits({
    call(command, args) {
      keys.add(String(args[2]))
      return valkey.call(command, args)
    },
  })
  const subject = newSubject()
  const delays = []
  for (let failure = 1; failure <= 17; failure += 1) {
    assert.equal(await waitOf(limits, subject), 0)
    const { waitMs, undo } = await limits.attempt(subject)
    delays.push(Math.ceil(waitMs / 1_000))
    // The time passes: the server's clock cannot be moved.
    const key = [...keys].find((name) => name.startsWith('login:')) ?? ''
    if (waitMs > 0) await valkey.call('HSET', [key, 'until', 0])
    else await undo()
  }
  assert.deepEqual(
    delays.slice(0, 9),
    Array.from({ length: 9 }, () => 0),
  )
  assert.deepEqual(delays.slice(9), [30, 60, 120, 240, 480, 900, 900, 900])
})

test('success forgets the failures of an address; of a network only its own attempt', async (t) => {
  const limits = createLoginLimits(await connect(t))
  const subject = newSubject()
  for (let times = 0; times < 10; times += 1) assert.equal(await waitOf(limits, subject), 0)
  assert.ok((await waitOf(limits, subject)) > 0)
  await limits.forget(subject)
  assert.equal(await waitOf(limits, subject), 0)
  const network: LoginSubject = { kind: 'network', prefix: randomUUID() }
  for (let times = 0; times < 19; times += 1) assert.equal(await waitOf(limits, network), 0)
  for (let times = 0; times < 50; times += 1) {
    const { waitMs, undo } = await limits.attempt(network)
    assert.equal(waitMs, 0)
    await undo()
  }
  assert.equal(await waitOf(limits, network), 0)
  assert.ok((await waitOf(limits, network)) > 0)
})

test('the address is not in the store, and its failures are forgotten after a day', async (t) => {
  const valkey = await connect(t)
  const calls: unknown[][] = []
  const limits = createLoginLimits({
    call(command, args) {
      calls.push(args)
      return valkey.call(command, args)
    },
  })
  await limits.attempt({ kind: 'email', email: 'Jane@example.com' })
  await limits.attempt({ kind: 'email', email: 'jane@EXAMPLE.com' })
  const keys = calls.map((args) => String(args[2]))
  assert.equal(new Set(keys).size, 1)
  assert.ok(!JSON.stringify(calls).toLowerCase().includes('jane'))
  const leftMs = Number(await valkey.call('PTTL', [keys[0] ?? '']))
  assert.ok(leftMs > 86_000_000 && leftMs <= 86_400_000)
  await limits.forget({ kind: 'email', email: 'jane@example.com' })
})

test('without Valkey each process counts for itself', async () => {
  const limits = createLoginLimits(UNREACHABLE)
  const subject = newSubject()
  for (let times = 0; times < 5; times += 1) assert.equal(await waitOf(limits, subject), 0)
  assert.ok((await waitOf(limits, subject)) > 14 * 60_000)
  assert.equal(await waitOf(limits, newSubject()), 0)
  await limits.forget(subject)
  assert.equal(await waitOf(limits, subject), 0)
})

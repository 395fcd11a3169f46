import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ROOMY, askOf, opening, prepaid } from '../../../test/harness/load/limits-asks.ts'
import { connectValkey, startLossyWay, startValkey } from '../../../test/harness/servers/valkey.ts'
import { LimitsUnavailable, type LimitsAsk } from '../../tenancy/rate-limits.ts'
import { createLimits } from './limits.ts'
import { raiseVersion } from './raise-version.ts'
import { organizationKeys } from '../valkey/keys.ts'

const UNAVAILABLE = 'Valkey is unavailable'
const TOO_MANY = 'too many requests are waiting for Valkey'

function repeat(count: number, text: string): string[] {
  return Array.from({ length: count }, () => text)
}

/** Sends the requests to a dead server, and returns their errors in the order they were raised. */
async function askWhileUnavailable(asks: readonly LimitsAsk[]): Promise<string[]> {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await server.kill()
  await using limits = createLimits(valkey, { holdMs: 1500 })
  const outcomes: string[] = []
  const ended = asks.map((ask) =>
    assert.rejects(limits.admit(ask), (error) => {
      assert.ok(error instanceof LimitsUnavailable)
      outcomes.push(error.message)
      return true
    }),
  )
  await Promise.all(ended)
  return outcomes
}

test('a request is held while Valkey restarts, and decided afterwards', async () => {
  await using first = await startValkey()
  await using valkey = await connectValkey([first.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  assert.equal((await limits.admit(askOf())).kind, 'admitted')
  await first.kill()
  const held = limits.admit(askOf())
  const raised = raiseVersion(valkey, { organizationId: randomUUID(), version: 2 })
  await using _second = await startValkey({ port: Number(new URL(first.url).port) })
  assert.equal((await held).kind, 'admitted')
  await raised
})

test('503: a request that waited for too long is refused at once', async (context) => {
  const warn = context.mock.method(process, 'emitWarning')
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url], { timeoutMs: 50 })
  await using limits = createLimits(valkey, { holdMs: 1 })
  server.freeze()
  await assert.rejects(limits.admit(askOf()), LimitsUnavailable)
  assert.equal(warn.mock.callCount(), 0, 'Node.js warns about a negative timeout')
})

test('503: with a frozen Valkey a request is held, then fails as unavailable', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await using limits = createLimits(valkey)
  server.freeze()
  const startedMs = performance.now()
  await Promise.all([
    assert.rejects(limits.admit(askOf()), LimitsUnavailable),
    assert.rejects(
      raiseVersion(valkey, { organizationId: randomUUID(), version: 2 }),
      LimitsUnavailable,
    ),
  ])
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs > 2400 && tookMs < 5000, `took ${tookMs} ms`)
  server.thaw()
})

test('a request is held while Valkey is frozen, and decided once it thaws', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  server.freeze()
  // The first call times out before the server thaws, so that a later call decides.
  await assert.rejects(valkey.call('PING', []))
  const held = limits.admit(askOf())
  server.thaw()
  assert.equal((await held).kind, 'admitted')
})

test('503: the number of held requests is bounded per organization', async () => {
  const organizationId = randomUUID()
  const outcomes = await askWhileUnavailable(
    Array.from({ length: 70 }, () => askOf({ organizationId })),
  )
  assert.deepEqual(outcomes, [...repeat(6, TOO_MANY), ...repeat(64, UNAVAILABLE)])
})

test('503: the total number of held requests is bounded', async () => {
  const outcomes = await askWhileUnavailable(Array.from({ length: 1010 }, () => askOf()))
  assert.deepEqual(outcomes, [...repeat(10, TOO_MANY), ...repeat(1000, UNAVAILABLE)])
})

test('a call whose reply was lost is sent again, and nothing is counted twice', async () => {
  await using server = await startValkey()
  await using way = await startLossyWay(server.url)
  await using direct = await connectValkey([server.url])
  await using valkey = await connectValkey([way.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  const funds = prepaid({ granted: 100 })
  const ask = opening(askOf({ limits: { ...ROOMY, requestsPerDay: 1 }, funds }), { reserved: 60 })
  const id = ask.record?.id ?? ''
  // Loads the script first, or the lost reply would be the NOSCRIPT error.
  await limits.admit(askOf())
  way.loseAnswerTo(id)
  assert.equal((await limits.admit(ask)).kind, 'admitted')
  const keys = organizationKeys(ask.organizationId)
  assert.equal(await direct.call('HGET', [keys.limits, 'requests_today']), '1')
  assert.equal(await direct.call('HGET', [keys.funds, 'reserved']), '60')
  assert.equal(await direct.call('HEXISTS', [keys.open, id]), 1)
  const other = await limits.admit(opening(ask))
  assert.notEqual(other.kind, 'admitted')
})

test('a request without a record may count twice after a lost reply, never less', async () => {
  await using server = await startValkey()
  await using way = await startLossyWay(server.url)
  await using valkey = await connectValkey([way.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  await limits.admit(askOf())
  const ask = askOf({ limits: { ...ROOMY, requestsPerDay: 1 } })
  way.loseAnswerTo(ask.projectId)
  assert.equal((await limits.admit(ask)).kind, 'refused')
  assert.equal((await limits.admit(ask)).kind, 'refused')
})

test('closing waits for pending requests and rejects later ones', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  const limits = createLimits(valkey)
  const order: string[] = []
  const pending = limits.admit(askOf()).then(({ kind }) => order.push(kind))
  const closed = limits[Symbol.asyncDispose]().then(() => order.push('closed'))
  await assert.rejects(limits.admit(askOf()), LimitsUnavailable)
  await Promise.all([pending, closed])
  assert.deepEqual(order, ['admitted', 'closed'])
})

test('503: the error says whether the request may have been admitted', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  const limits = createLimits(valkey, { holdMs: 50 })
  server.freeze()
  const isAsked = (error: unknown) => error instanceof LimitsUnavailable && error.asked
  await assert.rejects(limits.admit(askOf()), isAsked)
  server.thaw()
  await limits[Symbol.asyncDispose]()
  await assert.rejects(limits.admit(askOf()), (error) => !isAsked(error))
})

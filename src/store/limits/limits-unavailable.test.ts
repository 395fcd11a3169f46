import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ROOMY, askOf, opening, prepaid } from '../../../test/harness/limits-asks.ts'
import { connectValkey, startLossyWay, startValkey } from '../../../test/harness/valkey.ts'
import { LimitsUnavailable, type LimitsAsk } from '../../tenancy/rate-limits.ts'
import { createLimits } from './limits.ts'
import { organizationKeys } from '../valkey/keys.ts'

const AWAY = 'Valkey was away for too long'
const CROWDED = 'too many requests wait for Valkey'

function repeat(count: number, text: string): string[] {
  return Array.from({ length: count }, () => text)
}

/** Asks a server that is gone, and tells how the requests ended in the order in which they did. */
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

test('a request is held while Valkey restarts, and then decided', async () => {
  await using first = await startValkey()
  await using valkey = await connectValkey([first.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  assert.equal((await limits.admit(askOf())).kind, 'admitted')
  await first.kill()
  const held = limits.admit(askOf())
  const raised = limits.raiseVersion(randomUUID(), 2)
  await using _second = await startValkey({ port: Number(new URL(first.url).port) })
  assert.equal((await held).kind, 'admitted')
  await raised
})

test('503: a frozen Valkey ends in LimitsUnavailable when the hold is over', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await using limits = createLimits(valkey)
  server.freeze()
  const startedMs = performance.now()
  await Promise.all([
    assert.rejects(limits.admit(askOf()), LimitsUnavailable),
    assert.rejects(limits.raiseVersion(randomUUID(), 2), LimitsUnavailable),
  ])
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs > 2400 && tookMs < 5000, `took ${tookMs} ms`)
  server.thaw()
})

test('a request is held while Valkey is frozen, and decided when it goes on', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  server.freeze()
  // The first answer is given up before the server goes on, so that it is a later call that counts.
  await assert.rejects(valkey.call('PING', []))
  const held = limits.admit(askOf())
  server.thaw()
  assert.equal((await held).kind, 'admitted')
})

test('503: what is held is bounded for one organization', async () => {
  const organizationId = randomUUID()
  const outcomes = await askWhileUnavailable(
    Array.from({ length: 70 }, () => askOf({ organizationId })),
  )
  assert.deepEqual(outcomes, [...repeat(6, CROWDED), ...repeat(64, AWAY)])
})

test('503: what is held is bounded in all', async () => {
  const outcomes = await askWhileUnavailable(Array.from({ length: 1010 }, () => askOf()))
  assert.deepEqual(outcomes, [...repeat(10, CROWDED), ...repeat(1000, AWAY)])
})

test('a call whose answer was lost is sent again, and takes nothing twice', async () => {
  await using server = await startValkey()
  await using way = await startLossyWay(server.url)
  await using direct = await connectValkey([server.url])
  await using valkey = await connectValkey([way.url])
  await using limits = createLimits(valkey, { holdMs: 30_000 })
  const funds = prepaid({ granted: 100 })
  const ask = opening(askOf({ limits: { ...ROOMY, requestsPerDay: 1 }, funds }), { reserved: 60 })
  const id = ask.record?.id ?? ''
  // The script must be known, or the lost answer would be the one that says it is not.
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

test('a lost answer of what opens no record may cost twice, but admits no more', async () => {
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

test('closing waits for what is under way and refuses what comes later', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  const limits = createLimits(valkey)
  const order: string[] = []
  const underWay = limits.admit(askOf()).then(({ kind }) => order.push(kind))
  const closed = limits[Symbol.asyncDispose]().then(() => order.push('closed'))
  await assert.rejects(limits.admit(askOf()), LimitsUnavailable)
  await Promise.all([underWay, closed])
  assert.deepEqual(order, ['admitted', 'closed'])
})

test('503: it is told whether a request may have been admitted all the same', async () => {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type Engine, type Generation } from '../engines/adapters/engine.ts'
import { keepText } from '../engines/adapters/neutralise.ts'
import type { GenerationStream, PieceBatch } from '../engines/adapters/piece.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import { ClientGone } from '../http/call.ts'
import { billPrompt } from './bill-prompt.ts'
import { settle } from './settle.ts'
import {
  excessOf,
  limitCounts,
  type TokenBounds,
  type UsageCounts,
} from '../tenancy/usage-record.ts'
import type { OpenUsage, UsageEnd } from './track-usage.ts'

const ESTIMATE = { inputTokens: 500 }
const NOTHING = ['none', 0]

const generation: Generation = {
  request: { model: 'm', messages: [{ role: 'user', content: 'x' }] },
  outputTokensMax: 10,
  effort: undefined,
  organizationId: 'o',
  neutralise: keepText,
}

type Case = {
  readonly isSent?: boolean
  /** The engine's count, or the error with which it fails to count. */
  readonly counts?: number | Error
  readonly known?: number
  /** The most that the request reserved. */
  readonly bounds?: TokenBounds
  /** Whether the messages were released, because the engine had begun to answer. */
  readonly released?: boolean
  /** Why the generation ends. */
  readonly reason?: Error
  /** Batches before it ends. */
  readonly batches?: readonly PieceBatch[]
}

/** A generation that ends early, and what is settled. */
async function endEarly(given: Case) {
  const { isSent = true, counts = 1_234, known, reason = new ClientGone('left') } = given
  const { bounds = { promptTokensMax: 2_000, outputTokensMax: 10 } } = given
  const calls: string[] = []
  const countPrompt = async () => {
    calls.push('count')
    if (typeof counts === 'number') return counts
    throw counts
  }
  const slot = {
    engine: { name: 'one', countPrompt } as unknown as Engine,
    attempts: 1,
    isSent,
    exceeded: (tokens: number) => void calls.push(`exceeded ${tokens}`),
  } as Slot
  let end: UsageEnd | undefined
  const usage = {
    admittedMs: performance.now(),
    checkpoint: () => undefined,
    limit: (counted: UsageCounts) => ({
      counts: limitCounts(counted, bounds),
      excess: excessOf(counted, bounds),
    }),
    async settle(settled: UsageEnd) {
      calls.push('settle')
      end = settled
    },
  } as unknown as OpenUsage
  const leaving = new AbortController()
  const generated: GenerationStream = async (take) => {
    for (const batch of given.batches ?? []) await take(batch)
    leaving.abort(reason)
    throw reason
  }
  const messages = given.released ? [] : generation.request.messages
  const request = { ...generation.request, messages }
  const sent = { ...generation, request, ...(known === undefined ? {} : { promptTokens: known }) }
  const batches = settle(generated, {
    usage,
    slot,
    releaseSlot: () => void calls.push('free'),
    signal: leaving.signal,
    billPrompt: () => billPrompt(slot, sent, ESTIMATE),
  })
  await assert.rejects(
    batches(() => undefined),
    reason,
  )
  assert.ok(end)
  const { outcome, basis, counts: used } = end
  assert.deepEqual([used.cachedTokens, used.reasoningTokens], [0, 0])
  return { outcome, billed: [basis, used.promptTokens], output: used.completionTokens, calls }
}

test('a client that leaves before the first token pays for its counted prompt', async () => {
  const { outcome, billed } = await endEarly({})
  assert.deepEqual([outcome, ...billed], ['abandoned', 'engine_partial', 1_234])
})

test('the slot of a client that left is free before its prompt is counted', async () => {
  assert.deepEqual((await endEarly({})).calls, ['free', 'count', 'settle'])
})

test('a prompt that was counted before the generation is not counted again', async () => {
  const { billed, calls } = await endEarly({ known: 77 })
  assert.deepEqual(billed, ['engine_partial', 77])
  assert.deepEqual(calls, ['free', 'settle'])
})

test('a client that leaves before its prompt was written to an engine pays nothing', async () => {
  const { billed, calls } = await endEarly({ isSent: false })
  assert.deepEqual(billed, NOTHING)
  assert.deepEqual(calls, ['free', 'settle'])
})

test('if the engine does not count the prompt, the estimate is billed', async () => {
  for (const kind of ['busy', 'status', 'refused', 'protocol'] as const) {
    const { billed } = await endEarly({ counts: new EngineError(kind, 'one', 'no count') })
    assert.deepEqual(billed, ['none', 500])
  }
  const timeout = new DOMException('too slow', 'TimeoutError')
  assert.deepEqual((await endEarly({ counts: timeout })).billed, ['none', 500])
})

test('a request that was released is not counted: the estimate is billed', async () => {
  const { billed, calls } = await endEarly({ released: true })
  assert.deepEqual(billed, ['none', 500])
  assert.deepEqual(calls, ['free', 'settle'])
})

test('neither an estimate nor a count exceeds what was reserved', async () => {
  const busy = new EngineError('busy', 'one', 'no count')
  const bounds = { promptTokensMax: 300, outputTokensMax: 10 }
  const { billed, calls } = await endEarly({ counts: busy, bounds })
  assert.deepEqual(billed, ['none', 300])
  assert.deepEqual(calls, ['free', 'count', 'settle'], 'an estimate says nothing of the engine')
  const counted = await endEarly({ counts: 1_000, bounds })
  assert.deepEqual(counted.billed, ['engine_partial', 300])
  assert.deepEqual(counted.calls, ['free', 'count', 'exceeded 700', 'settle'])
})

test('an engine that is gone costs its client nothing', async () => {
  const gone = new EngineError('transport', 'one', 'the connection failed')
  assert.deepEqual((await endEarly({ counts: gone })).billed, NOTHING)
})

test('a failure or timeout before the first token costs nothing', async () => {
  const { outcome, billed } = await endEarly({ reason: new Error('no first token in time') })
  assert.deepEqual([outcome, ...billed], ['failed', ...NOTHING])
})

test('a client that leaves later pays what the engine has reported', async () => {
  const progress = { promptTokens: 9, cachedTokens: 0, completionTokens: 2, reasoningTokens: 0 }
  const batches: PieceBatch[] = [{ pieces: [{ type: 'text', text: 'a' }], progress }]
  const { billed, output, calls } = await endEarly({ batches })
  assert.deepEqual([...billed, output], ['engine_partial', 9, 2])
  assert.deepEqual(calls, ['free', 'settle'])
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ChatRequest } from '../contract/chat-request.ts'
import type { GenerationStream, Piece } from '../engines/adapters/piece.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { ContentRecord } from '../tenancy/content-record.ts'
import { retain, type ContentLog } from './retain.ts'

const TERMS = { version: '1', acceptedAt: new Date(0), acceptedBy: crypto.randomUUID() }
const REQUEST: ChatRequest = { model: 'a/model', messages: [{ role: 'user', content: 'Hello' }] }

function retained(change: Partial<Caller>, request = REQUEST) {
  const ids = { organizationId: crypto.randomUUID(), projectId: crypto.randomUUID() }
  const caller = { ...ids, retention: 'standard', terms: null, ...change } as Caller
  return { requestId: crypto.randomUUID(), caller, request }
}

function createLog(bytesMax = Infinity) {
  const kept: ContentRecord[] = []
  let held = 0
  let dropped = 0
  const log: ContentLog = {
    claim(bytes) {
      if (held + bytes > bytesMax) return false
      held += bytes
      return true
    },
    keep(record, claimed) {
      held -= claimed
      kept.push(record)
    },
    drop(claimed) {
      held -= claimed
      dropped += 1
    },
  }
  return { log, kept, held: () => held, dropped: () => dropped }
}

function batchesOf(...pieces: Piece[]): GenerationStream {
  return async (taking) => {
    for (const piece of pieces) {
      await turn()
      await taking({ pieces: [piece], progress: undefined })
    }
  }
}

const WHOLE: readonly Piece[] = [
  { type: 'reasoning', text: 'Let me ' },
  { type: 'reasoning', text: 'think' },
  { type: 'text', text: 'Some ' },
  { type: 'text', text: 'text' },
  { type: 'tool-call', index: 0, name: 'look', text: '{' },
  { type: 'arguments', index: 0, text: '}' },
  { type: 'finish', reason: 'tool_calls' },
]

class Left extends Error {}

/** Consumes batches as `answer` does, and leaves after `most`. */
async function take(batches: GenerationStream, most = Infinity): Promise<number> {
  let taken = 0
  try {
    await batches(() => {
      taken += 1
      if (taken === most) throw new Left()
      return undefined
    })
  } catch (error) {
    if (!(error instanceof Left)) throw error
  }
  // The content is stored in the turn after the end.
  await turn()
  await turn()
  return taken
}

function read({ content }: ContentRecord): unknown {
  return JSON.parse(content.reveal().toString())
}

describe('nothing is retained', () => {
  for (const [name, change] of [
    ['with zero retention', { retention: 'zero' }],
    ['of a contributor without consent', { retention: 'contributor', terms: null }],
  ] as const)
    test(`${name}: the batches pass through untouched`, () => {
      const batches = batchesOf(...WHOLE)
      assert.equal(retain(batches, retained(change), createLog().log), batches)
    })

  test('of a request without any reply', async () => {
    const { log, kept, dropped } = createLog()
    await take(retain(batchesOf(), retained({}), log))
    assert.deepEqual([kept.length, dropped()], [0, 0])
  })
})

describe('retained content', () => {
  test('is the request and the complete reply', async () => {
    const { log, kept, held } = createLog()
    const given = retained({})
    assert.equal(await take(retain(batchesOf(...WHOLE), given, log)), WHOLE.length)
    const [record] = kept
    assert.ok(record !== undefined)
    const call = { type: 'function', function: { name: 'look', arguments: '{}' } }
    assert.deepEqual(read(record), {
      request: REQUEST,
      response: {
        message: {
          role: 'assistant',
          content: 'Some text',
          reasoning_content: 'Let me think',
          tool_calls: [call],
        },
        finish_reason: 'tool_calls',
      },
    })
    assert.equal(record.id, given.requestId)
    assert.equal(record.organizationId, given.caller.organizationId)
    assert.equal(record.terms, null)
    assert.equal(held(), 0)
  })

  test('of a broken-off stream is what was sent, without a finish reason', async () => {
    const { log, kept } = createLog()
    await take(retain(batchesOf(...WHOLE), retained({}), log), 3)
    const message = { role: 'assistant', content: 'Some ', reasoning_content: 'Let me think' }
    assert.deepEqual(kept.map(read), [
      { request: REQUEST, response: { message, finish_reason: null } },
    ])
  })

  test('carries the consent for contributor retention, but not for standard', async () => {
    for (const retention of ['contributor', 'standard'] as const) {
      const { log, kept } = createLog()
      await take(retain(batchesOf(...WHOLE), retained({ retention, terms: TERMS }), log))
      const terms = retention === 'contributor' ? TERMS : null
      assert.deepEqual(kept[0]?.terms, terms)
      assert.equal(kept[0]?.retention, retention)
    }
  })
})

describe('content is dropped, while the client gets all of it', () => {
  test('when there is no memory left', async () => {
    const { log, kept, held, dropped } = createLog(10)
    const taken = await take(retain(batchesOf(...WHOLE), retained({}), log))
    assert.deepEqual([taken, kept.length, dropped(), held()], [WHOLE.length, 0, 1, 0])
  })

  test('when the record exceeds the maximum size', async () => {
    const { log, kept, held, dropped } = createLog()
    const long: Piece = { type: 'text', text: 'x'.repeat(5_000_000) }
    const taken = await take(retain(batchesOf(long, long), retained({}), log))
    assert.deepEqual([taken, kept.length, dropped(), held()], [2, 0, 1, 0])
  })

  test('when the request cannot be serialized', async () => {
    const { log, kept, dropped } = createLog()
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const request = { ...REQUEST, tools: [circular] } as unknown as ChatRequest
    const taken = await take(retain(batchesOf(...WHOLE), retained({}, request), log))
    assert.deepEqual([taken, kept.length, dropped()], [WHOLE.length, 0, 1])
  })
})

test('an error of the generation is rethrown, and the reply before it is retained', async () => {
  const { log, kept } = createLog()
  const failing: GenerationStream = async (taking) => {
    await batchesOf({ type: 'text', text: 'half' })(taking)
    throw new Error('broken')
  }
  await assert.rejects(take(retain(failing, retained({}), log)), /broken/)
  await turn()
  await turn()
  assert.equal(kept.length, 1)
})

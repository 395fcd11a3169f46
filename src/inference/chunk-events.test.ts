import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ChunkEvents } from './chunk-events.ts'

const TOOLS = [{ function: { name: 'get_weather' } }]
const head = { id: 'chatcmpl-0', created: 1_700_000_000, model: 'a/b' }

function parse(event: string): Record<string, unknown> {
  assert.match(event, /^data: \{.*\}\n\n$/)
  return JSON.parse(event.slice('data: '.length)) as Record<string, unknown>
}

test('every delta becomes one line of JSON, padded to a multiple of 64 bytes', () => {
  const events = new ChunkEvents(head, true, TOOLS)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (content) => {
      const event = events.delta({ content })
      assert.equal(Buffer.byteLength(event) % 64, 0)
      const [choice] = parse(event)['choices'] as { delta: { content: string } }[]
      assert.equal(choice?.delta.content, content)
    }),
  )
})

test('short events of every kind have the same size', () => {
  const events = new ChunkEvents(head, true, TOOLS)
  const rendered = [
    events.delta({ role: 'assistant' }),
    events.delta({ reasoning_content: '' }),
    events.delta({ content: 'a word' }),
    events.delta({ tool_calls: [{ index: 0, function: { arguments: '{"' } }] }),
    events.finish('content_filter'),
  ]
  assert.equal(new Set(rendered.map((event) => Buffer.byteLength(event))).size, 1)
})

test('without obfuscation there is no padding, and usage is null until its own chunk', () => {
  const events = new ChunkEvents(head, false, [])
  const chunk = parse(events.delta({ content: 'x' }))
  assert.equal('obfuscation' in chunk, false)
  assert.equal(chunk['usage'], null)
  const usage = {
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 3,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
  const last = parse(events.usage(usage))
  assert.deepEqual([last['usage'], last['choices']], [usage, []])
})

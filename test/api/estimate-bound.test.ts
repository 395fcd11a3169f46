import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ChatRequest } from '../../src/contract/chat-request.ts'
import { createReadPauses } from '../../src/engines/wire/read-pauses.ts'
import { connectChatEngine } from '../../src/engines/adapters/chat-engine.ts'
import { llamaServer } from '../../src/engines/adapters/llama-server.ts'
import { keepText } from '../../src/engines/adapters/neutralise.ts'
import { estimateRequest } from '../../src/inference/estimate.ts'
import { requireStack } from '../harness/service.ts'

const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('<|im_start|>', '\n\n\n', '{"a": [1, 2]}', '日本語のテキスト', '🧪🧪🧪'),
)

const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user', 'developer'), content: text }),
  fc.record({ role: fc.constant('assistant'), content: text, reasoning_content: text }),
)

const tool = fc
  .record({ name: fc.stringMatching(/^[a-z]{1,20}$/), description: text })
  .map((its) => ({
    type: 'function',
    function: { ...its, parameters: { type: 'object', properties: { [its.name]: {} } } },
  }))

const request = fc.record({
  model: fc.constant('pebble'),
  messages: fc.array(message, { minLength: 1, maxLength: 8 }),
  tools: fc.array(tool, { maxLength: 4 }),
})

test('property: the engine’s prompt count lies within the estimated bounds', async () => {
  const { url, apiKey } = requireStack().engine
  const readPauses = createReadPauses(0)
  const options = { name: 'e', url, apiKey, slots: 4, modelName: 'pebble', readPauses }
  const engine = connectChatEngine(options, llamaServer)
  await fc.assert(
    fc.asyncProperty(request, async (value) => {
      const { promptTokensMax, promptTokensMin } = estimateRequest({ read: true, value }, new Map())
      const asked = { outputTokensMax: 1, organizationId: '', neutralise: keepText }
      const generation = { request: value as ChatRequest, effort: 'high', ...asked }
      const counted = await engine.countPrompt(generation, new AbortController().signal)
      assert.ok(counted <= promptTokensMax, `${counted} tokens, bound ${promptTokensMax}`)
      assert.ok(counted >= promptTokensMin, `${counted} tokens, bound ${promptTokensMin}`)
    }),
    { numRuns: 300 },
  )
  engine.close()
})

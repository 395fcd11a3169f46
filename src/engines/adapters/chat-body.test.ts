import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../contract/chat-request.ts'
import { promptOf, samplingOf } from './chat-body.ts'
import { keepText } from './neutralise.ts'
import { toolsWithChoice } from './vllm.ts'

const REQUEST: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const TOOL = {
  type: 'function' as const,
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
}
const NAMED = { type: 'function' as const, function: { name: 'f' } }
const FORMAT = { type: 'json_object' as const }

test('a top_p of 0 becomes the smallest that all engines accept', () => {
  assert.deepEqual(samplingOf({ ...REQUEST, top_p: 0 }), { top_p: 1e-6 })
  assert.deepEqual(samplingOf({ ...REQUEST, top_p: 0.5, temperature: 0 }), {
    temperature: 0,
    top_p: 0.5,
  })
})

test('vLLM and SGLang get a forced tool as strict, and others as they are', () => {
  const strictOf = (choice: NonNullable<ChatRequest['tool_choice']>) => {
    const body = toolsWithChoice({ ...REQUEST, tools: [TOOL], tool_choice: choice }, keepText)
    return (body as { tools: { function: { strict?: boolean } }[] }).tools[0]?.function.strict
  }
  assert.deepEqual(([NAMED, 'required', 'auto'] as const).map(strictOf), [true, true, undefined])
})

test('a forced tool call has no response format', () => {
  const asked = { ...REQUEST, tools: [TOOL], response_format: FORMAT }
  const formatOf = (choice: NonNullable<ChatRequest['tool_choice']>) =>
    'response_format' in promptOf({ ...asked, tool_choice: choice }, 'm', keepText, 'reasoning')
  assert.deepEqual(([NAMED, 'required', 'auto'] as const).map(formatOf), [false, false, true])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run } from './stream/run.ts'
import { messagesOf, type Entry } from './columns.ts'

const CALL = { id: 'call_1', name: 'sum', arguments: '{"a":1}' }

function answer(
  reply: Partial<Run['reply']>,
  results: Record<string, string> | null = null,
): Entry {
  const whole = { reasoning: '', text: '', calls: [], finish: null, usage: null, ...reply }
  return { kind: 'answer', id: 2, run: { reply: whole } as unknown as Run, results }
}

const QUESTION: Entry = { kind: 'user', id: 1, text: 'Hi' }
const ASKED = { role: 'user', content: 'Hi' }

test('an answer goes back with its reasoning', () => {
  assert.deepEqual(messagesOf([QUESTION, answer({ text: 'Yes', reasoning: 'Hm' })]), [
    ASKED,
    { role: 'assistant', content: 'Yes', reasoning_content: 'Hm' },
  ])
})

test('tool calls go back with their results', () => {
  assert.deepEqual(messagesOf([QUESTION, answer({ calls: [CALL] }, { call_1: '2' })]), [
    ASKED,
    {
      role: 'assistant',
      content: null,
      reasoning_content: '',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'sum', arguments: '{"a":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '2' },
  ])
})

test('calls without results and answers without content are left out', () => {
  assert.deepEqual(messagesOf([QUESTION, answer({ calls: [CALL] })]), [ASKED])
  assert.deepEqual(messagesOf([QUESTION, answer({ reasoning: 'Hm' })]), [ASKED])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column } from '../columns.ts'
import { SCHEMA_EXAMPLE, TOOL_EXAMPLE } from '../setup/examples.ts'
import { restoreRun } from '../stream/restore-run.ts'
import { readSaved } from './read-saved.ts'
import { savedOf } from './save-conversation.ts'
import type { SavedAnswer } from './saved-schema.ts'

const ANSWER: SavedAnswer = {
  role: 'assistant',
  model: 'test/one',
  content: 'Yes',
  reasoning_content: 'Hm',
  tool_calls: [{ id: 'call_1', name: 'sum', arguments: '{"a":1}' }],
  results: { call_1: '2' },
  request_id: '01a1e766-86b5-7000-8000-000000000000',
  status: 200,
  state: 'complete',
  finish_reason: 'stop',
  usage: null,
  first_ms: 12.5,
  last_ms: 30,
  ended_ms: 31,
}
const BODY = { model: 'test/one', messages: [], stream: true } as const
const COLUMN: Column = [
  { kind: 'user', id: 1, text: 'Hi' },
  {
    kind: 'answer',
    id: 2,
    run: restoreRun(ANSWER, { ...BODY, messages: [] }),
    results: ANSWER.results,
  },
]
const SEARCH = {
  model: 'test/one',
  temperature: '0.5',
  project: 'secret-project',
  tab: 'code',
} as const
const TEXTS = { system: 'Be brief.', tools: [TOOL_EXAMPLE], schema: SCHEMA_EXAMPLE }
const SAVED = savedOf(SEARCH, { columns: [COLUMN, []], ...TEXTS })

test('a saved conversation is opened with its messages, settings, tools and schema', () => {
  const opened = readSaved(JSON.stringify(SAVED))
  assert.ok(opened !== undefined)
  assert.deepEqual(opened.texts, TEXTS)
  assert.deepEqual(opened.search, { model: 'test/one', temperature: '0.5' })
  const again = savedOf(opened.search, { columns: opened.columns, ...opened.texts })
  assert.deepEqual(again, SAVED)
  const [, answer] = opened.columns[0]
  assert.ok(answer?.kind === 'answer')
  assert.deepEqual(answer.run.body.messages.at(-1), { role: 'user', content: 'Hi' })
})

const [[, ANSWERED] = []] = SAVED.conversations

const REFUSED: readonly (readonly [string, unknown])[] = [
  ['no JSON', undefined],
  ['another file', { messages: [] }],
  ['another format', { ...SAVED, format: 'headrace-conversation-2' }],
  ['an unknown member', { ...SAVED, more: 1 }],
  ['three conversations', { ...SAVED, conversations: [[], [], []] }],
  ['a setting that is no text', { ...SAVED, settings: { temperature: 1 } }],
  ['a tool without a name', { ...SAVED, tools: [{}] }],
  ['a request id that leads elsewhere', withAnswer({ request_id: '../../operator' })],
  ['an answer that is still running', withAnswer({ state: 'streaming' })],
  ['a text that is none', withAnswer({ content: { toString: 1 } })],
]

function withAnswer(part: object): object {
  return { ...SAVED, conversations: [[{ ...ANSWERED, ...part }]] }
}

for (const [what, saved] of REFUSED)
  test(`a file is not opened: ${what}`, () => {
    assert.equal(readSaved(JSON.stringify(saved) ?? '{'), undefined)
  })

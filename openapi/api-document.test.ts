import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { ChatRequest } from '../src/contract/chat-request.ts'
import { apiDocument } from './api-document.ts'
import { CHAT_EXAMPLES } from './request-examples.ts'

test('every example of a chat request is a valid request', () => {
  for (const [name, { value }] of Object.entries(CHAT_EXAMPLES))
    assert.deepEqual([...Value.Errors(ChatRequest, value)], [], name)
})

test('every operation of the inference API has a listed tag', () => {
  const { paths, tags } = apiDocument('0.1.0')
  const names = tags.map(({ name }) => name)
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  assert.equal(operations.length, 3)
  for (const { tags: own } of operations) assert.ok(names.includes(own[0]!))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ChatRequest } from '../../../contract/chat-request.ts'
import { hashPrefixes } from './hash-prefixes.ts'

type Messages = ChatRequest['messages']

const SYSTEM = { role: 'system', content: 'Be brief.' } as const
const user = (content: string) => ({ role: 'user', content }) as const
const assistant = (content: string | null) => ({ role: 'assistant', content }) as const

function hash(messages: Messages, organizationId = 'organization', model = 'model') {
  return hashPrefixes(organizationId, model, messages)
}

test('the hashes of a turn are the first hashes of the next turn', () => {
  const first = [SYSTEM, user('One?')]
  const second = [...first, assistant('1'), user('Two?')]
  const [one, two] = [hash(first), hash(second)]
  assert.equal(one.chain?.length, 1)
  assert.deepEqual(two.chain?.slice(0, 1), one.chain)
  assert.equal(two.chain?.length, 3)
  assert.deepEqual([two.prefix, two.head], [one.prefix, one.head])
  assert.deepEqual([one.continues, two.continues], [false, true])
})

test('a turn names the last hash of the turn before, also after calls of tools', () => {
  const first = [SYSTEM, user('One?')]
  const second = [...first, assistant(null), { role: 'tool', tool_call_id: 'a', content: '1' }]
  const third = [...second, assistant('1'), user('Two?')]
  const [one, two, three] = [first, second, third].map((each) => hash(each as Messages))
  assert.equal(one?.previous, undefined)
  assert.deepEqual([two?.previous, three?.previous], [one?.chain?.at(-1), two?.chain?.at(-1)])
})

test('after the part that is hashed every turn names the same hash', () => {
  const long = user('x'.repeat(70_000))
  const [one, two] = [hash([long]), hash([long, assistant('1'), user('Two?')])]
  assert.deepEqual([one.continues, two.continues], [false, true])
  assert.equal(two.previous, one.chain?.at(-1))
})

test('property: whatever the messages are, hashing does not throw', () => {
  fc.assert(
    fc.property(fc.anything(), (messages) => {
      assert.ok((hashPrefixes('organization', 'model', messages).chain?.length ?? 0) > 0)
    }),
  )
})

test('a common system message is no conversation', () => {
  const [one, other] = [hash([SYSTEM, user('One?')]), hash([SYSTEM, user('Two?')])]
  assert.equal(one.head, other.head)
  assert.notEqual(one.prefix, other.prefix)
  assert.equal(one.chain?.includes(one.head), false)
})

test('organizations and models have no hash in common', () => {
  const messages = [SYSTEM, user('One?'), assistant('1'), user('Two?')]
  const own = hash(messages)
  for (const other of [hash(messages, 'another'), hash(messages, 'organization', 'another')]) {
    const hashes = new Set([other.head, ...(other.chain ?? [])])
    for (const each of [own.head, ...(own.chain ?? [])]) assert.equal(hashes.has(each), false)
  }
})

test('text in parts has the hash of the same text', () => {
  const parts = [
    { type: 'text', text: 'On' },
    { type: 'text', text: 'e?' },
  ] as const
  assert.equal(hash([{ role: 'user', content: [...parts] }]).prefix, hash([user('One?')]).prefix)
})

test('a request without a user message has one hash', () => {
  assert.equal(hash([SYSTEM]).chain?.length, 1)
})

test('at most 64 KiB of text and 256 messages are hashed', () => {
  const long = 'x'.repeat(65_536)
  const [cut, longer] = [hash([user(long)]), hash([user(`${long}y`), assistant('1'), user('z')])]
  assert.deepEqual(longer.chain, cut.chain)
  assert.deepEqual([cut.isCut, longer.isCut, hash([user('x')]).isCut], [true, true, false])
  const many = hash(Array.from({ length: 1_000 }, (_, index) => user(`${index}`)))
  assert.deepEqual([many.chain?.length, many.isCut], [256, true])
})

test('property: a longer conversation contains the hashes of a shorter one', () => {
  const message = fc.oneof(fc.string().map(user), fc.option(fc.string()).map(assistant))
  fc.assert(
    fc.property(fc.array(message, { minLength: 1 }), fc.array(message), (start, rest) => {
      const [shorter, longer] = [hash([user('?'), ...start]), hash([user('?'), ...start, ...rest])]
      assert.deepEqual(longer.chain?.slice(0, shorter.chain?.length), shorter.chain)
    }),
  )
})

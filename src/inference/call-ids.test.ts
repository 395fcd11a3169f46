import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCallIds } from './call-ids.ts'

const SECRET = Buffer.alloc(32, 1).toString('base64url')

test('every replica recognizes the id of a step without reasoning', () => {
  const id = createCallIds([SECRET]).create('organization', false)
  assert.equal(createCallIds([SECRET]).isMarked(id, 'organization'), true)
})

test('marked and unmarked ids have the same form', () => {
  const ids = createCallIds([SECRET])
  for (const reasoned of [true, false])
    assert.match(ids.create('organization', reasoned), /^call_[0-9a-f]{24}$/)
})

test('a forged mark, or one of another organization, is not accepted', () => {
  const ids = createCallIds([SECRET])
  const marked = ids.create('organization', false)
  const forged = `${marked.slice(0, -1)}${marked.endsWith('0') ? '1' : '0'}`
  for (const [id, organizationId] of [
    [ids.create('organization', true), 'organization'],
    [marked, 'another'],
    [forged, 'organization'],
    [createCallIds([]).create('organization', false), 'organization'],
    ['call_', 'organization'],
    ['', 'organization'],
  ] as const)
    assert.equal(ids.isMarked(id, organizationId), false)
})

test('while the key is rotated, old and new marks are recognized by every replica', () => {
  const next = Buffer.alloc(32, 2).toString('base64url')
  const [before, during] = [createCallIds([SECRET, next]), createCallIds([next, SECRET])]
  const marks = [before, during].map((ids) => ids.create('organization', false))
  for (const ids of [before, during])
    for (const mark of marks) assert.equal(ids.isMarked(mark, 'organization'), true)
  const finished = marks.map((mark) => createCallIds([next]).isMarked(mark, 'organization'))
  assert.deepEqual(finished, [false, true])
})

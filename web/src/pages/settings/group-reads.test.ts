import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupReads } from './group-reads.ts'

function read(id: string, clock: string, label: string, action: string) {
  return { id, made_at: `2026-11-18T${clock}Z`, action, actor: { label } }
}

test('what support reads without a long pause is one visit, and each thing is named once', () => {
  const visits = groupReads([
    read('6', '10:09:00.000', 'ann@example.com', 'usage.read'),
    read('5', '10:01:31.000', 'bob@example.com', 'usage.read'),
    read('4', '10:01:30.000', 'ann@example.com', 'usage.read'),
    read('3', '10:00:31.000', 'ann@example.com', 'limits.read'),
    read('2', '10:00:00.400', 'ann@example.com', 'usage.read'),
    read('1', '10:00:00.000', 'ann@example.com', 'overview.read'),
  ])
  assert.deepEqual(
    visits.map(({ who, actions }) => [who, actions]),
    [
      ['ann@example.com', ['usage.read']],
      ['bob@example.com', ['usage.read']],
      ['ann@example.com', ['overview.read', 'usage.read', 'limits.read']],
    ],
  )
  const { from, to } = visits[2]!
  assert.deepEqual([from, to], ['2026-11-18T10:00:00.000Z', '2026-11-18T10:01:30.000Z'])
})

test('nothing read is no visit', () => {
  assert.deepEqual(groupReads([]), [])
})

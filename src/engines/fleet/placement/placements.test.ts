import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  countBy,
  hash,
  openMember,
  openMembers,
  send,
  SLOTS,
  turnOf,
} from '../../../../test/harness/load/placed-conversations.ts'
import { chooseEngine, firstChoice } from '../choose-engine.ts'
import type { Member } from '../member.ts'
import { hashPrefixes } from './hash-prefixes.ts'
import { createPlacements } from './placements.ts'

/** Conversations whose hash says that they all belong to the same engine. */
function conversationsOf(member: Member, members: readonly Member[], count: number): number[] {
  const found: number[] = []
  for (let conversation = 1; found.length < count; conversation += 1)
    if (firstChoice(members, turnOf(conversation).prefix) === member) found.push(conversation)
  return found
}

test('engines get equal numbers of conversations, whatever their hashes are', () => {
  const members = openMembers(4)
  const placements = createPlacements()
  const [first] = members
  assert.ok(first !== undefined)
  const names = conversationsOf(first, members, 12).map((conversation) =>
    send(placements, members, turnOf(conversation)),
  )
  assert.deepEqual(countBy(names), [3, 3, 3, 3])
})

test('property: no engine holds more conversations than the mean, rounded up', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(100_000), { maxLength: 32 }),
      fc.integer({ min: 2, max: 8 }),
      (ids, count) => {
        const members = openMembers(count, { slots: 32 })
        const placements = createPlacements()
        const names = ids.map((id) => send(placements, members, turnOf(id)))
        const most = Math.max(0, ...countBy(names))
        assert.ok(most <= Math.ceil(ids.length / count))
      },
    ),
  )
})

test('the turns of a conversation go to one engine', () => {
  const members = openMembers(4)
  const placements = createPlacements()
  for (let conversation = 0; conversation < 40; conversation += 1) {
    const names = [1, 2, 3, 4].map((turn) => send(placements, members, turnOf(conversation, turn)))
    assert.equal(countBy(names).length, 1)
  }
})

test('only the conversations of an engine that leaves are moved, and they stay moved', () => {
  const members = openMembers(4)
  const placements = createPlacements()
  const conversations = Array.from({ length: 100 }, (_, index) => index)
  const sendAll = (turn: number, nowMs: number) =>
    conversations.map((conversation) =>
      send(placements, members, turnOf(conversation, turn), nowMs),
    )
  const nowMs = performance.now()
  const before = sendAll(1, nowMs)
  for (let failures = 0; failures < 3; failures += 1) members[0]?.health.unreachable()
  const without = sendAll(2, nowMs)
  for (const [index, name] of without.entries())
    if (before[index] !== 'engine-0') assert.equal(name, before[index])
  assert.ok(!without.includes('engine-0'))
  assert.deepEqual(sendAll(3, nowMs + 60_000), without)
})

test('an engine of a small weight gets few conversations, and keeps them', () => {
  const members = [
    ...openMembers(3, { slots: 64 }),
    openMember('canary', { slots: 64, weight: 0.1 }),
  ]
  const placements = createPlacements()
  const first = Array.from({ length: 310 }, (_, id) => send(placements, members, turnOf(id)))
  const second = Array.from({ length: 310 }, (_, id) => send(placements, members, turnOf(id, 2)))
  const onCanary = first.filter((name) => name === 'canary').length
  assert.ok(onCanary >= 5 && onCanary <= 11, `${onCanary}`)
  assert.deepEqual(second, first)
})

test('a conversation that nobody knows goes where its hash says, however many are there', () => {
  const members = openMembers(4)
  const placements = createPlacements()
  const [first] = members
  assert.ok(first !== undefined)
  const [opened = 0, other = 0, ...unknown] = conversationsOf(first, members, 12)
  assert.equal(send(placements, members, turnOf(opened)), 'engine-0')
  assert.notEqual(send(placements, members, turnOf(other)), 'engine-0')
  for (const conversation of unknown)
    assert.equal(send(placements, members, turnOf(conversation, 3)), 'engine-0')
})

test('a full home is named, and the best engine with room', () => {
  const members = openMembers(2)
  const placements = createPlacements()
  const name = send(placements, members, turnOf(1))
  const home = members.find(({ engine }) => engine.name === name)
  for (let running = 0; running < SLOTS; running += 1) home?.began()
  const choice = chooseEngine(members, turnOf(1, 2), performance.now(), placements)
  assert.equal(choice.home, home)
  assert.ok(choice.now !== undefined && choice.now !== home)
  const opened = chooseEngine(members, turnOf(2), performance.now(), placements)
  assert.equal(opened.home, opened.now)
})

test('a busy engine gets no new conversations, by what all processes run', () => {
  const [idle, busy] = [openMember('idle', { slots: 64 }), openMember('busy', { slots: 64 })]
  const members = [idle, { ...busy, lease: { ...busy.lease, leased: 40, hasRoom: true } }]
  const placements = createPlacements()
  for (let conversation = 0; conversation < 20; conversation += 1) {
    assert.equal(send(placements, members, turnOf(conversation)), 'idle')
    idle.began()
  }
})

test('many requests with the same beginning are spread', () => {
  const members = openMembers(4, { slots: 64 })
  const placements = createPlacements()
  const examples = [hash(1), hash(2)]
  const names = Array.from({ length: 100 }, (_, index) => {
    const chain = [...examples, hash(1_000 + index)]
    const name = send(placements, members, { prefix: hash(1), chain, continues: true })
    members.find(({ engine }) => engine.name === name)?.began()
    return name
  })
  assert.ok(Math.max(...countBy(names)) <= 30, countBy(names).join())
})

test('the same prompt many times at once is spread', () => {
  const members = openMembers(4, { slots: 64 })
  const placements = createPlacements()
  const names = Array.from({ length: 100 }, () => {
    const name = send(placements, members, turnOf(1))
    members.find(({ engine }) => engine.name === name)?.began()
    return name
  })
  assert.ok(Math.max(...countBy(names)) <= 34, countBy(names).join())
})

test('a long conversation of which only the beginning is hashed stays', () => {
  const members = openMembers(4, { slots: 64 })
  const placements = createPlacements()
  const request = { ...turnOf(1, 4), isCut: true }
  const names = Array.from({ length: 100 }, () => {
    const name = send(placements, members, request)
    members.find(({ engine }) => engine.name === name)?.began()
    return name
  })
  assert.deepEqual(countBy(names.slice(0, 64)), [64])
})

test('at most 50,000 hashes are remembered, those that were used last', () => {
  const members = openMembers(4)
  const placements = createPlacements()
  const last = send(placements, members, turnOf(0, 2))
  for (let conversation = 1; conversation <= 40_000; conversation += 1) {
    send(placements, members, turnOf(conversation, 2))
    if (conversation % 1_000 === 0) send(placements, members, turnOf(0, 2))
  }
  assert.ok(placements.size <= 50_000)
  assert.equal(send(placements, members, turnOf(0, 3)), last)
  const held = members.map(({ seed }) => placements.held.of(seed))
  assert.ok(held.every((count) => count >= 0))
})

test('a conversation is not held after ten minutes without use, and again when it is used', () => {
  const members = openMembers(1)
  const placements = createPlacements()
  const held = () => placements.held.of(members[0]?.seed ?? 0)
  send(placements, members, turnOf(1), 0)
  send(placements, members, turnOf(2), 400_000)
  assert.equal(held(), 2)
  send(placements, members, turnOf(2, 2), 700_000)
  assert.equal(held(), 1)
  send(placements, members, turnOf(1, 2), 800_000)
  assert.equal(held(), 2)
})

/** A request of so many messages. */
function requestOf(organizationId: string, conversation: number, messages: number) {
  const content = (index: number) => `${conversation} ${index}`
  const list = Array.from({ length: messages }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: content(index),
  }))
  return hashPrefixes(organizationId, 'm', list)
}

test('an organization with many long conversations makes no other forget its own', () => {
  const members = openMembers(4)
  const placements = createPlacements()
  const place = (organizationId: string, conversation: number, messages: number) => {
    const member = members[conversation % members.length]
    assert.ok(member !== undefined)
    const request = requestOf(organizationId, conversation, messages)
    placements.placed(request, member, members, performance.now())
  }
  const isKnown = (organizationId: string, conversation: number) =>
    placements.find(requestOf(organizationId, conversation, 1)).seed !== undefined
  const others = ['a', 'b']
  for (let count = 0; count < 1_000; count += 1) place(others[count % 2] ?? '', count, 1)
  for (let count = 0; count < 400; count += 1) place('greedy', count, 256)
  for (let count = 0; count < 1_000; count += 1) assert.ok(isKnown(others[count % 2] ?? '', count))
  assert.ok(!isKnown('greedy', 0) && isKnown('greedy', 399))
  assert.ok(placements.size <= 50_000)
  // What it has is given to others, up to half of all.
  for (let count = 0; count < 20_000; count += 1) place('c', count, 1)
  assert.ok(isKnown('a', 0) && isKnown('c', 0) && isKnown('greedy', 399))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countBy,
  openMembers,
  send,
  turnOf,
} from '../../../../test/harness/load/placed-conversations.ts'
import { firstChoice } from '../choose-engine.ts'
import type { Member } from '../member.ts'
import { hashPrefixes } from './hash-prefixes.ts'
import { createPlacements, type ConversationKey, type Placements } from './placements.ts'

/** Processes that note placements in one map, as the store does it, and count what they ask. */
function openProcesses(count: number) {
  const noted = new Map<number, number>()
  const asked = { finds: 0 }
  const shared = {
    async find(hash: number) {
      asked.finds += 1
      return noted.get(hash)
    },
    note: (hash: number, seed: number) => void noted.set(hash, seed),
  }
  const processes = Array.from({ length: count }, () => createPlacements(shared))
  const reported = processes.map(() => new Map<number, number>())
  /** Tells all processes how many conversations the engines hold. */
  const exchange = () => {
    for (const [index, { held }] of processes.entries()) {
      for (const [seed, own] of held.report(false)) reported[index]?.set(seed, own)
      const totals = new Map<number, number>()
      for (const counts of reported)
        for (const [seed, own] of counts) totals.set(seed, (totals.get(seed) ?? 0) + own)
      held.arrived(totals)
    }
  }
  return { processes, exchange, noted, asked }
}

async function locateAndSend(
  placements: Placements,
  members: readonly Member[],
  request: ConversationKey,
): Promise<string> {
  return send(placements, members, await placements.locate(request))
}

test('processes that note exceptions send each turn to the same engine', async () => {
  const { processes, exchange, noted } = openProcesses(4)
  const members = openMembers(4)
  const ids = Array.from({ length: 12 }, (_, index) => index)
  const runs: string[][] = []
  for (const turn of [1, 2, 3, 4, 5]) {
    const run: string[] = []
    for (const id of ids) {
      const placements = processes[(id * 7 + turn * 3) % 4]
      assert.ok(placements !== undefined)
      run.push(await locateAndSend(placements, members, turnOf(id, turn)))
      exchange()
      exchange()
    }
    runs.push(run)
  }
  for (const run of runs) assert.deepEqual(run, runs[0])
  assert.deepEqual(countBy(runs[0] ?? []), [3, 3, 3, 3])
  // One for each turn of those that are not where their hash says.
  const exceptions = ids.filter(
    (id) => firstChoice(members, turnOf(id).prefix)?.engine.name !== runs[0]?.[id],
  )
  assert.equal(noted.size, runs.length * exceptions.length)
  for (const { held } of processes)
    assert.deepEqual(
      members.map(({ seed }) => held.of(seed)),
      [3, 3, 3, 3],
    )
})

test('a conversation that was moved is looked for where it is now, and counted once', async () => {
  const { processes, exchange } = openProcesses(2)
  const [one, two] = processes
  const members = openMembers(2, { slots: 1 })
  assert.ok(one !== undefined && two !== undefined)
  const before = await locateAndSend(one, members, turnOf(1))
  exchange()
  const home = members.find(({ engine }) => engine.name === before)
  home?.began()
  const after = await locateAndSend(two, members, turnOf(1, 2))
  home?.ended()
  assert.notEqual(after, before)
  assert.equal(await locateAndSend(one, members, turnOf(1, 3)), after)
  exchange()
  exchange()
  assert.deepEqual(
    members.map(({ engine, seed }) => one.held.of(seed) === (engine.name === after ? 1 : 0)),
    [true, true],
  )
})

test('a conversation that came back to its first choice is found there by all', async () => {
  const { processes } = openProcesses(2)
  const [one, two] = processes
  const members = openMembers(2, { slots: 1 })
  const first = firstChoice(members, turnOf(1).prefix)
  const other = members.find((member) => member !== first)
  assert.ok(one !== undefined && two !== undefined && first !== undefined && other !== undefined)
  first.began()
  assert.equal(await locateAndSend(one, members, turnOf(1)), other.engine.name)
  first.ended()
  other.began()
  assert.equal(await locateAndSend(two, members, turnOf(1, 2)), first.engine.name)
  other.ended()
  assert.equal(await locateAndSend(two, members, turnOf(1, 3)), first.engine.name)
  assert.equal(await locateAndSend(one, members, turnOf(1, 4)), first.engine.name)
})

test('a process asks nobody about a new conversation, nor about a turn after its own', async () => {
  const { processes, asked } = openProcesses(2)
  const [one, two] = processes
  const members = openMembers(4)
  assert.ok(one !== undefined && two !== undefined)
  for (const turn of [1, 2, 3]) await locateAndSend(one, members, turnOf(1, turn))
  assert.equal(asked.finds, 0)
  await locateAndSend(two, members, turnOf(1, 4))
  assert.equal(asked.finds, 1)
})

test('turns that are cut at the same hash are looked up each time', async () => {
  const { processes } = openProcesses(2)
  const [one, two] = processes
  const members = openMembers(2, { slots: 1 })
  const long = { role: 'user', content: 'x'.repeat(70_000) }
  const turn = (answers: number) => {
    const later = Array.from({ length: answers }, () => [{ role: 'assistant' }, { role: 'user' }])
    return hashPrefixes('organization', 'm', [long, ...later.flat()])
  }
  assert.ok(one !== undefined && two !== undefined)
  const before = await locateAndSend(one, members, turn(0))
  const home = members.find(({ engine }) => engine.name === before)
  home?.began()
  const after = await locateAndSend(two, members, turn(1))
  home?.ended()
  assert.notEqual(after, before)
  assert.equal(await locateAndSend(one, members, turn(2)), after)
})

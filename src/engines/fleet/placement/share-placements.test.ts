import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countBy,
  openMembers,
  send,
  turnOf,
} from '../../../../test/harness/placed-conversations.ts'
import { firstChoice } from '../choose-engine.ts'
import { createPlacements } from './placements.ts'
import { sharePlacements } from './share-placements.ts'

/** Processes that share their placements through one list, as the store does it. */
function openProcesses(count: number) {
  const processes = Array.from({ length: count }, () => {
    const placements = createPlacements()
    return { placements, part: sharePlacements(placements, () => 0) }
  })
  const reported = processes.map(() => new Map<number, number>())
  let all = ''
  const exchange = () => {
    for (const [index, { part, placements }] of processes.entries()) {
      const report = part.report({ whole: false, figures: true }) as {
        readonly exceptions: string
        readonly after: number
      }
      all += report.exceptions
      for (const [seed, held] of placements.held.report(false)) reported[index]?.set(seed, held)
      const totals = new Map<number, number>()
      for (const counts of reported)
        for (const [seed, held] of counts) totals.set(seed, (totals.get(seed) ?? 0) + held)
      part.accept({ exceptions: all.slice(report.after * 12), at: all.length / 12, more: 0 })
      placements.held.arrived(totals)
    }
  }
  return { processes: processes.map(({ placements }) => placements), exchange, shared: () => all }
}

test('processes that share exceptions send each turn to the same engine', () => {
  const { processes, exchange, shared } = openProcesses(4)
  const members = openMembers(4)
  const ids = Array.from({ length: 12 }, (_, index) => index)
  const runs = [1, 2, 3, 4, 5].map((turn) =>
    ids.map((id) => {
      const placements = processes[(id * 7 + turn * 3) % 4]
      assert.ok(placements !== undefined)
      const name = send(placements, members, turnOf(id, turn))
      exchange()
      exchange()
      return name
    }),
  )
  for (const run of runs) assert.deepEqual(run, runs[0])
  assert.deepEqual(countBy(runs[0] ?? []), [3, 3, 3, 3])
  // Twelve characters for each that is not where its hash says, once.
  const exceptions = ids.filter(
    (id) => firstChoice(members, turnOf(id).prefix)?.engine.name !== runs[0]?.[id],
  )
  assert.equal(shared().length, 12 * exceptions.length)
  for (const { held } of processes)
    assert.deepEqual(
      members.map(({ seed }) => held.of(seed)),
      [3, 3, 3, 3],
    )
})

test('a conversation that was moved is looked for where it is now, and counted once', () => {
  const { processes, exchange } = openProcesses(2)
  const [one, two] = processes
  const members = openMembers(2, { slots: 1 })
  assert.ok(one !== undefined && two !== undefined)
  const before = send(one, members, turnOf(1))
  exchange()
  const home = members.find(({ engine }) => engine.name === before)
  home?.began()
  const after = send(two, members, turnOf(1, 2))
  home?.ended()
  exchange()
  exchange()
  assert.notEqual(after, before)
  assert.equal(send(one, members, turnOf(1, 3)), after)
  assert.deepEqual(
    members.map(({ engine, seed }) => one.held.of(seed) === (engine.name === after ? 1 : 0)),
    [true, true],
  )
})

test('exceptions of a heartbeat that failed are sent again', () => {
  const placements = createPlacements()
  const part = sharePlacements(placements, () => 0)
  const members = openMembers(4)
  for (let conversation = 0; conversation < 12; conversation += 1)
    send(placements, members, turnOf(conversation))
  const failed = part.report({ whole: false, figures: true }) as { exceptions: string }
  assert.ok(failed.exceptions.length > 0)
  assert.deepEqual(part.report({ whole: true, figures: true }), failed)
})

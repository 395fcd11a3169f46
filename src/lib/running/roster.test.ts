import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Roster, type RosterEntry } from './roster.ts'

type Named = RosterEntry & { readonly name: string }

const named = (name: string): Named => ({ name, place: -1 })

const namesOn = (roster: Roster<Named>) => Array.from(roster, ({ name }) => name).toSorted()

test('an entry is on the roster from its addition to its removal', () => {
  const roster = new Roster<Named>()
  const [a, b, c] = [named('a'), named('b'), named('c')] as const
  for (const entry of [a, b, c]) roster.add(entry)
  assert.equal(roster.remove(a), true)
  assert.deepEqual(namesOn(roster), ['b', 'c'])
  assert.equal(roster.remove(a), false)
  roster.add(a)
  assert.equal(roster.remove(c), true)
  assert.equal(roster.remove(b), true)
  assert.deepEqual(namesOn(roster), ['a'])
  assert.equal(roster.size, 1)
  assert.equal(roster.remove(a), true)
  assert.equal(roster.size, 0)
})

type Collect = (options?: { readonly type: 'minor' }) => void

const ENTRY_NUMBERS = 1_000
const OPEN = 16
const ENTRIES = 5_000

/** Heap in use after many entries came and went and only the young generation was collected. */
function heapAfter(add: (entry: Large) => void, remove: (entry: Large) => void): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  const open: Large[] = []
  const next = () => {
    const entry = { place: -1, numbers: Array.from({ length: ENTRY_NUMBERS }, Math.random) }
    add(entry)
    open.push(entry)
    const [oldest] = open
    if (open.length > OPEN && oldest !== undefined) remove(open.shift() ?? oldest)
  }
  for (let entry = 0; entry < OPEN; entry += 1) next()
  // What is left of these is in the old generation.
  collect()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let entry = 0; entry < ENTRIES; entry += 1) {
    next()
    if (entry % 100 === 0) collect({ type: 'minor' })
  }
  collect({ type: 'minor' })
  return process.memoryUsage().heapUsed - before
}

type Large = RosterEntry & { readonly numbers: readonly number[] }

test('what was removed does not outlive a collection of the young generation', () => {
  const roster = new Roster<Large>()
  const kept = heapAfter(
    (entry) => roster.add(entry),
    (entry) => void roster.remove(entry),
  )
  assert.ok(kept < (ENTRIES * ENTRY_NUMBERS * 8) / 10, `${kept} bytes were kept`)
})

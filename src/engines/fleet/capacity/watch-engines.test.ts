import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchEngines } from './watch-engines.ts'

const ENGINES = Array.from({ length: 8 }, (_, engine) => `engine-${engine}`)

/** Elects like the script: whoever stands first, until its election ends. */
function openElections(processes: number) {
  const state = { nowMs: 0, processes }
  const holders = new Map<string, { process: number; endMs: number }>()
  const watches = Array.from({ length: processes }, () =>
    watchEngines(
      () => ENGINES,
      () => state.processes,
      () => state.nowMs,
    ),
  )
  const heartbeat = (process: number) => {
    const part = watches[process]!.part
    const elected: Record<string, 1> = {}
    for (const engine of part.report({ whole: false, figures: true }) as string[]) {
      const holder = holders.get(engine)
      if (holder !== undefined && holder.process !== process && holder.endMs > state.nowMs) continue
      holders.set(engine, { process, endMs: state.nowMs + 2_000 })
      elected[engine] = 1
    }
    part.accept(elected)
  }
  const watchersOf = (engine: string) => watches.filter((watch) => watch.watches(engine)).length
  const heartbeatFor = (ms: number, living: readonly number[]) => {
    for (const endMs = state.nowMs + ms; state.nowMs < endMs; state.nowMs += 250)
      for (const process of living) heartbeat(process)
  }
  return { state, watches, watchersOf, heartbeatFor }
}

test('every engine is watched by one process, and no process watches much more than others', () => {
  for (const processes of [1, 3, 8, 16]) {
    const { watches, watchersOf, heartbeatFor } = openElections(processes)
    heartbeatFor(5_000, [...watches.keys()])
    assert.deepEqual(ENGINES.map(watchersOf), Array(ENGINES.length).fill(1))
    const most = Math.floor(ENGINES.length / processes) + 1
    for (const watch of watches)
      assert.ok(ENGINES.filter((engine) => watch.watches(engine)).length <= most)
  }
})

test('the engines of a process that is gone are watched by others after its elections end', () => {
  const { state, watches, watchersOf, heartbeatFor } = openElections(2)
  heartbeatFor(5_000, [0, 1])
  state.processes = 1
  heartbeatFor(5_000, [0])
  assert.ok(ENGINES.every((engine) => watches[0]!.watches(engine)))
  assert.deepEqual(ENGINES.map(watchersOf), Array(ENGINES.length).fill(1))
})

test('a process whose heartbeats fail watches nothing once its elections may have ended', () => {
  const { state, watchersOf, heartbeatFor } = openElections(1)
  heartbeatFor(1_000, [0])
  assert.ok(ENGINES.every((engine) => watchersOf(engine) === 1))
  state.nowMs += 2_000
  assert.ok(ENGINES.every((engine) => watchersOf(engine) === 0))
})

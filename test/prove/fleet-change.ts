// Engines come, go and change while several processes share them: capacity is used, not exceeded.
// covers: src/engines/fleet/** src/store/fleet/** src/engines/discovery/** src/start/**
import { setTimeout as pause } from 'node:timers/promises'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { CHANGES } from './fleet-change/changes.ts'
import { startLoad } from './fleet-change/load.ts'
import { SLOTS, type Server } from './fleet-change/servers.ts'
import { serversOf, startWorld, type World } from './fleet-change/world.ts'

const USE_MIN = 0.95
const USED_MS_MAX = 10_000
/** For a busy machine: slots that stay unused would stay so for longer. */
const SHORT_USED_MS_MAX = 25_000
/** Over which the use of slots is measured. */
const WINDOW_MS = 1_000

async function measureUse(servers: ReadonlySet<Server>): Promise<number> {
  const sum = () => [...servers].reduce((total, server) => total + server.busyMs(), 0)
  const [before, sinceMs] = [sum(), performance.now()]
  // time is under test: the use of slots over a second.
  await pause(WINDOW_MS)
  return (sum() - before) / (servers.size * SLOTS * (performance.now() - sinceMs))
}

/** How long it takes until the slots are in use. */
async function untilUsed(world: World, name: string): Promise<number> {
  const sinceMs = performance.now()
  const seen: string[] = []
  const windowsMax = (world.run.short ? SHORT_USED_MS_MAX : USED_MS_MAX) / WINDOW_MS
  for (let window = 0; window < windowsMax; window += 1) {
    const use = await measureUse(serversOf(world))
    if (use >= USE_MIN) return performance.now() - sinceMs
    seen.push(use.toFixed(2))
  }
  world.run.fail(`after ${name} the use was ${seen.join(' ')}`)
  return Infinity
}

/** Every kind in turn, each time in another order. */
function* orderOf(run: ProofRun, count: number): Generator<string> {
  let left: string[] = []
  for (let made = 0; made < count; made += 1) {
    if (left.length === 0) left = Object.keys(CHANGES)
    const name = run.random.pick(left)
    left = left.filter((each) => each !== name)
    yield name
  }
}

async function prove(run: ProofRun) {
  const count = run.short ? Object.keys(CHANGES).length : Number(run.values['changes'])
  await using world = await startWorld(run)
  const all = [...serversOf(world), ...world.spare]
  await using load = await startLoad(world)
  await untilUsed(world, 'the start')
  let slowestMs = 0
  for (const name of orderOf(run, count)) {
    await CHANGES[name]!(world)
    slowestMs = Math.max(slowestMs, await untilUsed(world, name))
  }
  const sumOf = (of: (server: Server) => number) => all.reduce((sum, each) => sum + of(each), 0)
  const [excess, foreign] = [sumOf((each) => each.excess), sumOf((each) => each.foreign)]
  if (excess > 0) run.fail(`${excess} requests came while every slot of a server was taken`)
  if (foreign > 0) run.fail(`${foreign} requests met a cache of another organization`)
  for (const { process } of world.apis) if (process.crashes > 0) run.fail('a process ended')
  return {
    changes: count,
    answered: load.statuses.get(200) ?? 0,
    over_commits: excess,
    foreign_caches: foreign,
    slowest_ms: Math.round(slowestMs),
  }
}

await runProof('fleet-change', prove, { changes: { type: 'string', default: '500' } })

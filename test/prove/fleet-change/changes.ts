import { setTimeout as pause } from 'node:timers/promises'
import type { ProofRun } from '../../harness/proof.ts'
import { FIRST, SECOND, type Engine, type World } from './world.ts'

type Change = (world: World) => Promise<void>

/** Longer than processes believe in leases without an answer of Valkey, and are believed in. */
const CUT_MS = 6_500
/** Requests meet a model that the server does not know any more. */
const UNKNOWN_MS = 500
const ENGINES_MIN = 2

/** The name stays, the server is another one. The old one may have died before. */
async function moveEngine(world: World): Promise<void> {
  const { run, engines, spare } = world
  const engine = run.random.pick(engines)
  const next = takeFrom(run, spare)
  if (next === undefined) return
  const old = engine.server
  const dies = run.random.chance(0.5)
  if (dies) old.engine.die()
  reset(engine, next)
  await world.configure()
  if (dies) await old.engine.revive()
  forget(old, spare)
}

/** The server calls its model by another name, and some time later the configuration does too. */
async function renameModel(world: World): Promise<void> {
  const engine = world.run.random.pick(world.engines)
  if (engine.hasSecond) return
  const name = `served-${world.run.random.between(1, 1_000_000)}`
  engine.server.names.clear()
  engine.server.names.add(name)
  // time is under test: requests are refused until the configuration is corrected.
  await pause(UNKNOWN_MS)
  engine.modelName = name
  await world.configure()
}

/** A second model on a server, which may not know it. */
async function changeModels(world: World): Promise<void> {
  const { run } = world
  const engine = run.random.pick(world.engines)
  engine.hasSecond = !engine.hasSecond
  engine.modelName = undefined
  engine.server.names.clear()
  engine.server.names.add(FIRST)
  if (engine.hasSecond && run.random.chance(0.5)) engine.server.names.add(SECOND)
  await world.configure()
}

/** An engine leaves the configuration, or comes into it under a name that was used before. */
async function changeCount(world: World): Promise<void> {
  const { run, engines, spare } = world
  const leaves = engines.length > ENGINES_MIN && run.random.chance(0.5)
  const left = leaves ? takeFrom(run, engines) : undefined
  const next = leaves ? undefined : takeFrom(run, spare)
  if (next !== undefined) {
    const names = new Set(engines.map(({ name }) => name))
    const free = [0, 1, 2, 3, 4, 5, 6, 7].find((at) => !names.has(`engine-${at}`))
    const engine = { name: `engine-${free}`, server: next, modelName: undefined, hasSecond: false }
    engines.push(engine)
  }
  await world.configure()
  if (left !== undefined) forget(left.server, spare)
}

/** The list of a group changes; processes read it by themselves. */
async function changeDiscovered(world: World): Promise<void> {
  const { run, discovered, spare } = world
  const left = run.random.chance(0.5) ? takeFrom(run, discovered) : undefined
  const next = left === undefined ? takeFrom(run, spare) : undefined
  if (next !== undefined) discovered.push(next)
  await world.discover()
  if (left !== undefined) forget(left, spare)
}

/** A pod with addresses of two families comes or goes. */
async function changePods({ run, pods, spare }: World): Promise<void> {
  const left = run.random.chance(0.5) ? takeFrom(run, [...pods.servers]) : undefined
  if (left !== undefined) {
    pods.remove(left)
    return forget(left, spare)
  }
  const next = takeFrom(run, spare)
  if (next !== undefined) pods.add(next)
}

/** A process does not reach Valkey for longer than its leases live, and comes back. */
async function cutOff({ run, apis }: World): Promise<void> {
  const { way } = run.random.pick(apis)
  way.cut()
  // time is under test: the others take over what the process held.
  await pause(CUT_MS)
  way.mend()
}

async function crash({ run, apis }: World): Promise<void> {
  const { process } = run.random.pick(apis)
  await process.kill()
  await process.start()
}

async function restartAll({ apis }: World): Promise<void> {
  await Promise.all(apis.map(({ process }) => process.kill()))
  await Promise.all(apis.map(({ process }) => process.start()))
}

export const CHANGES: Readonly<Record<string, Change>> = {
  moveEngine,
  renameModel,
  changeModels,
  changeCount,
  changeDiscovered,
  changePods,
  cutOff,
  crash,
  restartAll,
}

function takeFrom<Item>(run: ProofRun, items: Item[]): Item | undefined {
  if (items.length === 0) return undefined
  return items.splice(run.random.between(0, items.length - 1), 1)[0]
}

function reset(engine: Engine, server: Engine['server']): void {
  Object.assign(engine, { server, modelName: undefined, hasSecond: false })
}

/** Whatever it was called, it can be used again like a new one. */
function forget(server: Engine['server'], spare: Engine['server'][]): void {
  server.names.clear()
  server.names.add(FIRST)
  spare.push(server)
}

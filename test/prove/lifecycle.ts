// Reload and discovery change engines, models, prices and limits under load: no request fails.
// covers: src/config/** src/start/** src/engines/discovery/** src/cli/reload.ts
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import { startStreamEngines, type StreamEngines } from '../harness/fake-engine/stream-engines.ts'
import { percentile } from '../harness/figures/measure.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startLoad, type Load } from './lifecycle/clients.ts'
import { reload, untilEngines, untilReadable } from './lifecycle/observe.ts'
import { provePrices } from './lifecycle/prices.ts'
import { startRealKubernetesSource } from './lifecycle/real-kubernetes.ts'
import {
  startDnsSource,
  startFileSource,
  startKubernetesSource,
  type Place,
  type TestedSource,
} from './lifecycle/sources.ts'

const ROUNDS = 10
const SHORT_ROUNDS = 1
const SOAK_ROUNDS = 100
const ENGINES = 3
const SLOTS = 64
const KNOWN_MS_MAX = 1_000
const MODEL = 'life/model'

type Proof = {
  readonly run: ProofRun
  readonly rounds: number
  readonly engines: StreamEngines
  readonly places: readonly Place[]
  readonly knownMs: number[]
}

function settings(engines: readonly object[], names: readonly string[], more: object = {}) {
  const plan = { models: 'all', limits: limitsOf() }
  return {
    engines: engines.map((engine) => ({ kind: 'llama-server', slots: SLOTS, ...engine })),
    models: [{ id: MODEL, owned_by: 'test', engines: names, context_length: 4_096 }],
    plans: { ample: plan },
    default_plan: 'ample',
    worker: { health_port: 0 },
    ...more,
  }
}

/** A process never reads half of a file. */
async function write({ file }: Environment, content: object): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content))
  await rename(`${file}.new`, file)
}

async function underLoad(
  { run, engines }: Proof,
  environment: Environment,
  change: (api: HeadraceProcess, load: Load) => Promise<void>,
): Promise<Load> {
  const api = await environment.startApi()
  const { key } = await environment.openCaller()
  const load = startLoad({ apiRoot: api.apiRoot, key }, MODEL, engines, run)
  try {
    await change(api, load)
  } finally {
    await load[Symbol.asyncDispose]()
  }
  return load
}

/** One engine, two, then only the other one: whatever runs on the first must end whole. */
async function rotate(
  { places, rounds }: Proof,
  load: Load,
  set: (used: readonly Place[]) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const [old, next] = [round % ENGINES, (round + 1) % ENGINES]
    const [before, after] = [places[old]!, places[next]!]
    load.allow(next)
    await set([before, after])
    await set([after])
    load.forbid(old)
  }
}

async function proveReload(proof: Proof): Promise<Load> {
  const { run, places, knownMs } = proof
  const all = places.map(({ name, host, port }) => ({ name, url: `http://${host}:${port}` }))
  await using environment = await startEnvironment()
  await write(environment, settings(all, [places[0]!.name]))
  return await underLoad(proof, environment, async (api, load) => {
    await rotate(proof, load, async (used) => {
      const names = used.map(({ name }) => name)
      const listed = all.filter(({ name }) => names.includes(name))
      await write(environment, settings(listed, names))
      const sentMs = performance.now()
      const { result, problems } = await reload(api)
      if (result !== 'applied') run.fail(`reload rejected: ${problems.join('; ')}`)
      knownMs.push(await untilEngines(api, MODEL, names.length, sentMs))
      await write(environment, { ...settings(listed, names), currency: 'EUR' })
      const rejected = await reload(api)
      if (rejected.result !== 'rejected') run.fail('a change that needs a restart was applied')
    })
  })
}

async function proveSource(proof: Proof, source: TestedSource): Promise<Load> {
  const { places, knownMs } = proof
  await using environment = await startEnvironment()
  const group = { name: 'group', discover: source.discover }
  await write(environment, settings([group], ['group']))
  const firstKnown = source.set([places[0]!])
  return await underLoad(proof, environment, async (api, load) => {
    await firstKnown
    await rotate(proof, load, async (used) => {
      const sinceMs = await source.set(used)
      knownMs.push(await untilEngines(api, MODEL, used.length, sinceMs))
    })
    // It is resolved every 5 s.
    if (proof.run.short && source.name === 'dns') return
    await source.breakDown()
    await untilReadable(api, 'group', false)
    await source.repair()
    await untilReadable(api, 'group', true)
  })
}

await runProof(
  'lifecycle',
  async (run) => {
    const rounds = run.soak ? SOAK_ROUNDS : run.short ? SHORT_ROUNDS : ROUNDS
    await using engines = await startStreamEngines(ENGINES)
    const places = engines.urls.map((url, index) => {
      const { port } = new URL(url)
      // SRV records name hosts, which a resolver of the machine finds.
      return { name: `engine-${index}`, host: 'localhost', port: Number(port) }
    })
    const folder = await mkdtemp(join(tmpdir(), 'headrace-lifecycle-'))
    const knownMs: number[] = []
    const numeric = places.map((place) => ({ ...place, host: '127.0.0.1' }))
    const proof = { run, rounds, engines, places: numeric, knownMs }
    const loads = [await proveReload(proof)]
    const prices = await provePrices(run, engines.urls[0] ?? '')
    const { kubernetes: programs } = run.values
    const startKubernetes =
      programs === undefined
        ? startKubernetesSource
        : (path: string) => startRealKubernetesSource(path, programs)
    for (const start of [startDnsSource, startFileSource, startKubernetes]) {
      await using source = await start(folder)
      loads.push(await proveSource(source.name === 'dns' ? { ...proof, places } : proof, source))
    }
    await rm(folder, { recursive: true })
    const knownMax = Math.max(...knownMs)
    if (!run.short && knownMax > KNOWN_MS_MAX) run.fail(`known after ${knownMax.toFixed(0)} ms`)
    const sum = (read: (load: Load) => number) =>
      loads.reduce((total, load) => total + read(load), 0)
    return {
      changes: knownMs.length,
      requests: sum(({ requests }) => requests),
      streams: sum(({ streams }) => streams),
      failed: sum(({ failures }) => failures),
      ...prices,
      known_ms_p50: percentile(knownMs, 0.5).toFixed(0),
      known_ms_max: knownMax.toFixed(0),
    }
  },
  // A folder with kube-apiserver and etcd, instead of a scripted API server.
  { kubernetes: { type: 'string' } },
)

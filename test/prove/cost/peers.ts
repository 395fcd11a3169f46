import {
  joinReports,
  reportsBy,
  runRounds,
  warmUp,
  type Reports,
  type Series,
} from '../../../bench/bench.ts'
import { checkTools } from '../../../bench/check-tools.ts'
import { startLitellm } from '../../../bench/litellm.ts'
import type { Target, Workload } from '../../../bench/load.ts'
import { startNginx } from '../../../bench/nginx.ts'
import { startPortkey } from '../../../bench/portkey.ts'
import { startSglangRouter } from '../../../bench/sglang-router.ts'
import { NotPossibleHere } from '../../harness/proof.ts'
import { printCosts, WARMING_SECONDS } from './compare.ts'
import type { Figure } from './figures.ts'
import { startHeadrace } from './headrace.ts'
import { idleStreamKib } from './memory.ts'
import { peerFigures } from './peer-figures.ts'
import type { Recording } from './record.ts'
import { directTo, startOther, type Engine } from './targets.ts'
import {
  ABORTS,
  EVENTS_10K,
  EVENTS_25K,
  FIRST_BYTE_100,
  FIRST_BYTE_1000,
  JSON_500,
  JSON_500_PACED,
  JSON_BOTH_CORES,
  JSON_REPLY,
  MODELS,
  PROMPT_200KB,
  PROMPT_200KB_NON_ASCII,
} from './workloads.ts'

/** Programs that do not compile themselves as they run are warm sooner. */
const UNCOMPILED_WARMING_SECONDS = 6
/** Of workloads that no bar depends on, and of peers whose figures are far from any bar. */
const FEW_ROUNDS = 2

/** In this order they are shown. */
const WORKLOADS: readonly Workload[] = [
  JSON_REPLY,
  JSON_BOTH_CORES,
  JSON_500,
  JSON_500_PACED,
  PROMPT_200KB,
  PROMPT_200KB_NON_ASCII,
  EVENTS_10K,
  EVENTS_25K,
  ABORTS,
  FIRST_BYTE_100,
  FIRST_BYTE_1000,
]

type Measured = { readonly figures: readonly Figure[]; readonly recording: Recording }

/** Headrace beside the proxies, routers and gateways that are available, in one run. */
export async function measurePeers(engine: Engine, rounds: number): Promise<Measured> {
  await checkTools(directTo(engine))
  const idle = await measureIdle(engine)
  await using headrace = await startHeadrace(engine.port)
  await warmUp(headrace, engine.pid, WARMING_SECONDS)
  const near = await measureNear(headrace, engine, rounds)
  const slow = await measureSlow(headrace, engine, Math.min(rounds, FEW_ROUNDS))
  if (near.targets.length + slow.targets.length === 0)
    throw new NotPossibleHere('none of the programs to compare with is available')
  const targets = [directTo(engine), ...near.targets, headrace, ...slow.targets]
  const both = await measureBothCores(engine, Math.min(rounds, FEW_ROUNDS))
  // Beside the slow ones Headrace is measured once more, for their ratios only.
  const isSlow = (name: string) => slow.targets.some((target) => target.name === name)
  const shown = reportsBy((workload, target) =>
    (isSlow(target.name) ? slow : near).reports.of(workload, target),
  )
  const reports = joinReports(shown, both)
  printCosts(reports, WORKLOADS, targets)
  return {
    figures: peerFigures(near.reports, slow.reports, idle),
    recording: { rounds, targets, workloads: WORKLOADS, reports, idle },
  }
}

type Part = { readonly targets: readonly Target[]; readonly reports: Reports }

/** Programs that cost about as much as Headrace or less. */
async function measureNear(headrace: Target, engine: Engine, rounds: number): Promise<Part> {
  await using nginx = await startOther('nginx', startNginx, engine)
  await using router = await startOther('sglang-router', startSglangRouter, engine)
  const others = [nginx, router].filter((target) => target !== undefined)
  for (const target of others) await warmUp(target, engine.pid, UNCOMPILED_WARMING_SECONDS)
  const targets = [...others, headrace]
  const all = [directTo(engine), ...targets]
  const few = Math.min(rounds, FEW_ROUNDS)
  const judged = [JSON_REPLY, JSON_500, PROMPT_200KB, EVENTS_10K, EVENTS_25K]
  const series: Series[] = [
    ...judged.map((workload) => ({ workload, targets, rounds })),
    { workload: FIRST_BYTE_1000, targets: all, rounds },
    { workload: JSON_500_PACED, targets: targets.filter((one) => one !== nginx), rounds },
    { workload: PROMPT_200KB_NON_ASCII, targets, rounds: few },
    { workload: FIRST_BYTE_100, targets: all, rounds: few },
    { workload: ABORTS, targets, rounds: few },
  ]
  return { targets: others, reports: await runRounds(series, engine.pid, console.log) }
}

/** Gateways that cost many times as much. Only the first can stream 10,000 events a second. */
async function measureSlow(headrace: Target, engine: Engine, rounds: number): Promise<Part> {
  await using portkey = await startOther('portkey', startPortkey, engine)
  const startWithModels = (folder: string, port: number) => startLitellm(folder, port, MODELS)
  await using litellm = await startOther('litellm', startWithModels, engine)
  const others = [portkey, litellm].filter((target) => target !== undefined)
  if (portkey !== undefined) await warmUp(portkey, engine.pid, WARMING_SECONDS)
  if (litellm !== undefined) await warmUp(litellm, engine.pid, UNCOMPILED_WARMING_SECONDS)
  const json = { workload: JSON_REPLY, targets: [...others, headrace], rounds }
  const jsonReports = await runRounds([json], engine.pid, console.log)
  // Afterwards, because a gateway that is over its limit is busy for a while.
  const streams = others.map((target) => ({ workload: EVENTS_10K, targets: [target], rounds: 1 }))
  const streamReports = await runRounds(streams, engine.pid, console.log)
  return { targets: others, reports: joinReports(jsonReports, streamReports) }
}

/** What can use both cores, with two processes or threads. */
async function measureBothCores(engine: Engine, rounds: number): Promise<Reports> {
  const start = (name: string, starter: typeof startNginx) =>
    startOther(name, (folder, port) => starter(folder, port, 2), engine)
  await using nginx = await start('nginx', startNginx)
  await using router = await start('sglang-router', startSglangRouter)
  await using headrace = await startHeadrace(engine.port, { processes: 2 })
  const targets = [nginx, router, headrace].filter((target) => target !== undefined)
  for (const target of targets) await warmUp(target, engine.pid, UNCOMPILED_WARMING_SECONDS)
  await warmUp(headrace, engine.pid, WARMING_SECONDS)
  const series = [{ workload: JSON_BOTH_CORES, targets, rounds }]
  return await runRounds(series, engine.pid, console.log)
}

/** KiB of one idle stream, by the name of the target; each process is new. */
async function measureIdle(engine: Engine): Promise<ReadonlyMap<string, number>> {
  const starts = [
    () => startOther('nginx', startNginx, engine),
    () => startOther('sglang-router', startSglangRouter, engine),
    () => startHeadrace(engine.port),
  ]
  const found = new Map<string, number>()
  for (const start of starts) {
    await using target = await start()
    if (target !== undefined) found.set(target.name, await idleStreamKib(target, engine.pid))
  }
  return found
}

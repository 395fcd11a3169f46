// The processor time of a request and an event, compared with nginx and others; memory.
// covers: src/inference/** src/http/** src/engines/wire/** src/lib/json/** src/lib/running/**
import { loadavg } from 'node:os'
import { buildTools, startFakeEngine } from '../../bench/load.ts'
import { HAS_TWO_CPUS } from '../../bench/processes.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { measureChange } from './cost/change.ts'
import { measureCosts, measureShort } from './cost/compare.ts'
import { describeBar, isMet, type Figure } from './cost/figures.ts'
import { startHeadrace } from './cost/headrace.ts'
import { measureIdleStreams, measureSoak } from './cost/memory.ts'
import { measurePeers } from './cost/peers.ts'
import { printProfiles } from './cost/profile.ts'
import { writeRecord } from './cost/record.ts'
import type { Engine } from './cost/targets.ts'
import { EVENTS_10K, EVENTS_25K, JSON_500, JSON_REPLY, PROMPT_200KB } from './cost/workloads.ts'

const ROUNDS = 3
const PEER_ROUNDS = 5
const SOAK_SECONDS = 600

async function measureMemory(engine: Engine, soakSeconds: number): Promise<Figure[]> {
  const figures: Figure[] = []
  {
    await using headrace = await startHeadrace(engine.port)
    figures.push(await measureIdleStreams(headrace, engine.pid))
  }
  if (soakSeconds === 0) return figures
  await using headrace = await startHeadrace(engine.port)
  return [...figures, await measureSoak(headrace, engine.pid, soakSeconds)]
}

function loadAverage(): string {
  return loadavg()[0]?.toFixed(1) ?? ''
}

/** The form that the options ask for. */
async function measure(run: ProofRun, engine: Engine): Promise<readonly Figure[]> {
  const { peers, before, rounds, seconds = SOAK_SECONDS, record } = run.values
  const loadBefore = loadAverage()
  if (peers !== undefined) {
    const { figures, recording } = await measurePeers(engine, Number(rounds ?? PEER_ROUNDS))
    if (record !== undefined) writeRecord(record, recording, figures, [loadBefore, loadAverage()])
    return figures
  }
  if (before !== undefined) return measureChange(engine, before, Number(rounds ?? ROUNDS))
  return [
    ...(await measureCosts(engine, Number(rounds ?? ROUNDS))),
    ...(await measureMemory(engine, run.soak ? Number(seconds) : 0)),
  ]
}

/** A line for each figure; those over their bars are failures. */
function judge(run: ProofRun, figures: readonly Figure[]): Figures {
  const shown = (figure: Figure) => (Number.isNaN(figure.value) ? '-' : figure.value.toFixed(2))
  for (const figure of figures) {
    const { name, value, unit } = figure
    const line = `${name.padEnd(32)}${shown(figure).padStart(8)} ${unit.padEnd(8)}`
    const verdict = Number.isNaN(value) ? 'not measured' : isMet(figure) ? 'met' : 'missed'
    console.log(`${line} ${describeBar(figure).padEnd(18)} ${verdict}`)
    if (verdict === 'missed')
      run.fail(`${name} is ${shown(figure)} ${unit}, the bar is ${describeBar(figure)}`)
  }
  return Object.fromEntries(figures.map((one) => [one.name, shown(one) + one.unit]))
}

async function prove(run: ProofRun): Promise<Figures> {
  await buildTools()
  await using engine = await startFakeEngine()
  if (run.values['profile'] !== undefined) {
    await printProfiles(engine, [JSON_REPLY, JSON_500, PROMPT_200KB, EVENTS_10K, EVENTS_25K])
    return {}
  }
  if (run.short) return await measureShort(engine)
  const loadBefore = loadAverage()
  if (!HAS_TWO_CPUS) console.log('one processor only: the target shares it with the load')
  const figures = await measure(run, engine)
  console.log(`load average ${loadBefore} before and ${loadAverage()} after`)
  return judge(run, figures)
}

await runProof('cost', prove, {
  profile: { type: 'boolean' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  // Another checkout, with its node_modules, to compare with instead.
  before: { type: 'string' },
  // All programs to compare with, and more workloads; the result can be written to a file.
  peers: { type: 'boolean' },
  record: { type: 'string' },
})

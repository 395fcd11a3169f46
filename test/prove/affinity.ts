// The turns of a conversation reach the engine that has read the earlier ones.
// engines: llama-server vllm sglang
// covers: src/engines/fleet/**
import { runProof, type ProofRun } from '../harness/proof.ts'
import { chosenEngine } from '../harness/engines/real-engine.ts'
import { CONVERSATIONS, ENGINES, SLOTS } from './affinity/converse.ts'
import { measureEngines, ROUND_ROBIN, SLOT_OF_ITS_OWN } from './affinity/engines.ts'
import { measureHeadrace } from './affinity/headrace.ts'
import { measureRouter } from './affinity/router.ts'

const FAST = { turns: 8, replyTokensMax: 24 }
const SHORT = { turns: 5, replyTokensMax: 16 }
const SOAK = { turns: 24, replyTokensMax: 48 }
const PROCESSES = 4
const BARS = {
  /** Of the cached tokens if each conversation had a slot of its own. */
  ofBestMin: 0.97,
  /** Of the turns after the first, those that run where the one before them did. */
  homeMin: 0.97,
  /** Of the conversations, when one engine leaves: its share and a tenth. */
  movedMax: 1 / ENGINES + 0.1,
}
/** One of its turns is 2 %, one of its conversations 8 %. */
const SHORT_BARS = { ofBestMin: 0.93, homeMin: 0.93, movedMax: 1 / ENGINES + 0.2 }
/** One seed may suit a router by chance. */
const SEEDS_BESIDE_ROUTER = 3
/** On 16 slots: with some to spare, with none, and half as many again. */
const CONVERSATIONS_BESIDE_ROUTER = [12, 16, 24]
/** Both can reach the best possible. Then the router had up to 0.1 points more, cause unknown. */
const BEHIND_MAX = 0.002
const THINK_MS = 500

const workloadOf = ({ soak, short }: ProofRun) => (soak ? SOAK : short ? SHORT : FAST)
const percent = (share: number) => `${(100 * share).toFixed(1)}%`
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

async function proveProcesses(run: ProofRun, seed: number, best: number, processes: number) {
  // Other processes count a new conversation after at most 250 ms.
  const thinkMs = processes === 1 ? 0 : THINK_MS
  const workload = { ...workloadOf(run), thinkMs }
  const { cached, home, moved } = await measureHeadrace(seed, workload, processes)
  const bars = run.short ? SHORT_BARS : BARS
  const what = `${processes} processes:`
  // Several processes on one llama-server reuse nothing.
  const isReused = processes === 1 || chosenEngine() !== 'llama-server'
  if (isReused && cached < bars.ofBestMin * best)
    run.fail(`${what} ${percent(cached)} of the tokens were cached, at best ${percent(best)}`)
  if (home < bars.homeMin) run.fail(`${what} ${percent(home)} of the turns ran where they should`)
  if (moved > bars.movedMax) run.fail(`${what} ${percent(moved)} of the conversations were moved`)
  return { cached, home, moved }
}

/** Several seeds, beside sglang-router on the same engines. */
async function proveBesideRouter(run: ProofRun, python: string) {
  const figures: Record<string, string> = {}
  const all: { own: number[]; router: number[] } = { own: [], router: [] }
  for (const conversations of CONVERSATIONS_BESIDE_ROUTER) {
    const workload = { ...workloadOf(run), conversations }
    const [own, router]: [number[], number[]] = [[], []]
    for (let seed = run.seed; seed < run.seed + SEEDS_BESIDE_ROUTER; seed += 1) {
      router.push((await measureRouter(python, seed, workload)).cached)
      own.push((await measureHeadrace(seed, workload, 1)).cached)
    }
    if (mean(own) < mean(router) - BEHIND_MAX)
      run.fail(`${conversations} conversations: sglang-router had more tokens cached`)
    figures[`beside_${conversations}`] = own.map(percent).join(',')
    figures[`router_${conversations}`] = router.map(percent).join(',')
    all.own.push(...own)
    all.router.push(...router)
  }
  if (mean(all.own) <= mean(all.router)) run.fail('sglang-router had as many tokens cached')
  const roundRobin = await measureEngines(run.seed, workloadOf(run), ROUND_ROBIN)
  return {
    ...figures,
    beside: percent(mean(all.own)),
    router: percent(mean(all.router)),
    round_robin: percent(roundRobin.cached),
  }
}

await runProof(
  'affinity',
  async (run) => {
    const workload = workloadOf(run)
    const { router } = run.values
    const beside = router === undefined ? {} : await proveBesideRouter(run, router)
    const best = await measureEngines(run.seed, workload, SLOT_OF_ITS_OWN)
    const one = await proveProcesses(run, run.seed, best.cached, 1)
    const several = await proveProcesses(run, run.seed, best.cached, PROCESSES)
    return {
      engines: ENGINES,
      slots: SLOTS,
      conversations: CONVERSATIONS,
      turns: best.turns,
      best: percent(best.cached),
      cached: percent(one.cached),
      home: percent(one.home),
      moved: percent(one.moved),
      [`cached_${PROCESSES}`]: percent(several.cached),
      [`home_${PROCESSES}`]: percent(several.home),
      [`moved_${PROCESSES}`]: percent(several.moved),
      ...beside,
    }
  },
  // A Python that has the package sglang-router.
  { router: { type: 'string' } },
)

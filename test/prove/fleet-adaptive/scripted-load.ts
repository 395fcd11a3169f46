import { setTimeout as pause } from 'node:timers/promises'
import { startFakeEngine } from '../../harness/fake-engine/server.ts'
import { timeUntil, waitUntil } from '../../harness/figures/measure.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import type { ProofRun } from '../../harness/proof.ts'

const NAME = 'scripted'
const SLOTS = 64
/** What it runs when it has stopped others. */
const DEPTH = 4
/** Longer than requests that run into full slots take to be noticed. */
const WAITS_MS = 7_000
const LOWERED_MS_MAX = 10_000
const BACK_MS_MAX = 30_000
const BACK_SHARE = 0.9

type Load = {
  readonly running: number
  readonly waiting: number
  readonly deferred: number
  readonly cacheUse: number
}

const CALM: Load = { running: 30, waiting: 0, deferred: 0, cacheUse: 0.5 }

/** An engine that gets no request: its metrics say what the proof wants to try. */
export async function startScriptedLoad() {
  let [load, preempted, tokens] = [CALM, 0, 1_000]
  let stops = false
  const page = (path: string) => {
    if (path !== '/metrics') return undefined
    tokens += 100
    if (stops) preempted += 1
    const { running, waiting, deferred, cacheUse } = load
    return [
      `vllm:num_requests_running{engine="0"} ${running}.0`,
      `vllm:num_requests_waiting{engine="0"} ${waiting + deferred}.0`,
      `vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} ${waiting}.0`,
      `vllm:num_requests_waiting_by_reason{engine="0",reason="deferred"} ${deferred}.0`,
      `vllm:kv_cache_usage_perc{engine="0"} ${cacheUse}`,
      `vllm:num_preemptions_total{engine="0"} ${preempted}.0`,
      `vllm:generation_tokens_total{engine="0"} ${tokens}.0`,
      '',
    ].join('\n')
  }
  const engine = await startFakeEngine(() => undefined, { page })
  return {
    settings: { name: NAME, url: engine.url, kind: 'vllm', slots: SLOTS } as const,
    report(next: Load, hasStopped = false) {
      load = next
      stops = hasStopped
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

type ScriptedLoad = Awaited<ReturnType<typeof startScriptedLoad>>

/** Tries what lowers the capacity of an engine, and how fast it comes back. */
export async function tryLoads(run: ProofRun, api: HeadraceProcess, engine: ScriptedLoad) {
  const read = async () => {
    const page = (await (await fetch(`${api.healthAddress}/engines`)).json()) as {
      readonly states: Readonly<Record<string, { readonly found?: number | null }>>
    }
    return page.states[NAME]?.found ?? SLOTS
  }
  let fewest = SLOTS
  const watch = async (ms: number, next: () => Load) => {
    for (const endMs = performance.now() + ms; performance.now() < endMs;) {
      engine.report(next())
      // time is under test: requests wait so long.
      await pause(250)
      fewest = Math.min(fewest, await read())
    }
  }
  let count = 0
  await watch(WAITS_MS, () => ({ ...CALM, running: 20 + ((count += 1) % 9), waiting: 6 }))
  if (fewest < SLOTS) run.fail(`${fewest} of ${SLOTS} while prompts were read`)
  await watch(WAITS_MS, () => ({ ...CALM, deferred: 20 }))
  if (fewest < SLOTS) run.fail(`${fewest} of ${SLOTS} while grammars were compiled`)
  engine.report({ running: DEPTH, waiting: 30, deferred: 0, cacheUse: 0.99 }, true)
  const isLowered = async () => (await read()) === DEPTH
  await waitUntil('a capacity of what the engine runs', isLowered, LOWERED_MS_MAX)
  engine.report(CALM)
  const isBack = async () => (await read()) >= BACK_SHARE * SLOTS
  const backMs = await timeUntil(isBack, BACK_MS_MAX)
  if (backMs === null) run.fail(`${await read()} of ${SLOTS} after ${BACK_MS_MAX / 1000} s`)
  return { other_waits: fewest, back: `${((backMs ?? Infinity) / 1000).toFixed(1)} s` }
}

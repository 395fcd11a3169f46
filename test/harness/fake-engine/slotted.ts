import type { EngineSettings } from '../environment.ts'
import { forkEngines } from './forked.ts'

/** What a prompt makes a slotted engine do. Its time is a timer, which costs no CPU. */
export type SlottedWork = {
  readonly ms: number
  /** Tokens that the engine reports. */
  readonly prompt: number
  readonly tokens: number
  /** Who sends it, where the time of slots is counted for each. */
  readonly by?: string
}

/** What an engine has counted since its start. */
export type SlottedCounts = {
  /** Generations that got a slot. */
  readonly begun: number
  /** Requests that came while every slot was taken. */
  readonly excess: number
  readonly running: number
  /** Requests that wait inside the engine. */
  readonly waiting: number
  /** The time that slots were in use, summed over the slots. */
  readonly busyMs: number
  /** The same for each that sent work. */
  readonly busyMsBy: Readonly<Record<string, number>>
}

export type SlottedOptions = {
  /** What each engine really holds. */
  readonly slots: number
  /** What it does with one request more: respond 500, or let it wait inside. */
  readonly onExcess: 'fail' | 'wait'
}

/** Engines of exact capacity, in a process of their own. */
export type SlottedEngines = AsyncDisposable & {
  /** For the configuration; the engines are named `slotted-0`, `slotted-1` … */
  readonly settings: readonly EngineSettings[]
  counts(): Promise<readonly SlottedCounts[]>
}

const SCRIPT = new URL('slotted-script.ts', import.meta.url)
const TIMEOUT_MS = 30_000

/** `told` is the number of slots in the configuration; default: what the engines hold. */
export async function startSlottedEngines(
  count: number,
  options: SlottedOptions,
  told = options.slots,
): Promise<SlottedEngines> {
  let asked = 0
  const answers = new Map<number, SlottedCounts[]>()
  const engines = await forkEngines(
    SCRIPT,
    count,
    (report) => {
      if (report.report !== 'counts') return
      const known = answers.get(report['asked'] as number)
      if (known !== undefined) known[report['engine'] as number] = report['counts'] as SlottedCounts
    },
    options,
  )
  return {
    settings: engines.urls.map((url, engine) => {
      return { name: `slotted-${engine}`, url, kind: 'vllm', slots: told }
    }),
    async counts() {
      asked += 1
      const own = asked
      const answer: SlottedCounts[] = []
      answers.set(own, answer)
      engines.send({ ask: own })
      const haveAnswered = () => answer.filter(Boolean).length === count
      await engines.until('the counts of all engines', haveAnswered, TIMEOUT_MS)
      answers.delete(own)
      return answer
    },
    [Symbol.asyncDispose]: () => engines[Symbol.asyncDispose](),
  }
}

/** One number over all engines. */
export function sumOf(
  counts: readonly SlottedCounts[],
  field: Exclude<keyof SlottedCounts, 'busyMsBy'>,
): number {
  return counts.reduce((sum, each) => sum + each[field], 0)
}

/** A chat request that makes the engine do the work. */
export function slottedRequest(model: string, work: SlottedWork, tokensMax = work.tokens): object {
  const messages = [{ role: 'user', content: JSON.stringify(work) }]
  return { model, messages, max_tokens: tokensMax }
}

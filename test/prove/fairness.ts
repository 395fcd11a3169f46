// Organizations get their shares of the tokens, whatever they send and whichever process they use.
import { setTimeout as pause } from 'node:timers/promises'
import { askWithoutEnd, type Asker } from '../harness/ask-without-end.ts'
import { limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import { startSlottedEngines, type SlottedEngines } from '../harness/fake-engine/slotted.ts'
import { openLine, type Line } from '../harness/http-client.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'

const SIZES = {
  full: { processes: 16, engines: 4, warmMs: 10_000, windowMs: 60_000, windows: 2 },
  short: { processes: 4, engines: 1, warmMs: 2_000, windowMs: 5_000, windows: 1 },
} as const
type Size = (typeof SIZES)['full' | 'short']

const SLOTS = 16
/** What an ordinary request needs; a large one needs several times as much. */
const SERVICE_MS = 400
const LARGE_FACTOR = 8
/** Requests that each organization has open, as a multiple of all slots. */
const OPEN_FACTOR = 1.5
const WASTED_TOKENS_MAX = 4_096
const WEIGHT = 3
const CONNECTIONS = 1_000

const SHARE_MIN = 0.9
const WEIGHTED_WITHIN = 0.05
/** Few requests fit into a short time. */
const SHORT_SHARE_MIN = 0.75
const SHORT_WEIGHTED_WITHIN = 0.2

const MODEL = 'test/slotted'

type Fleet = {
  readonly environment: Environment
  readonly engines: SlottedEngines
  readonly lines: readonly Line[]
  readonly size: Size
}

/** What two organizations do. `share` of the tokens is fair for the first. */
type Contest = {
  readonly name: string
  readonly first: Partial<Asker> & { readonly plan?: string }
  readonly other: Partial<Asker>
  readonly share: number
}

function contestsOf(run: ProofRun, { lines, size }: Fleet): readonly Contest[] {
  const slots = size.engines * SLOTS
  const large = () => SERVICE_MS * LARGE_FACTOR * (run.random.between(80, 120) / 100)
  const few = lines.slice(0, Math.max(1, lines.length / 8))
  return [
    // It always has a large request waiting, which an unfair queue would always prefer.
    {
      name: 'capture',
      first: {},
      other: { nextMs: large, open: slots + lines.length },
      share: 0.5,
    },
    // It reserves twenty times what it uses.
    { name: 'waste', first: { tokensMax: WASTED_TOKENS_MAX }, other: {}, share: 0.5 },
    { name: 'few_processes', first: { lines: few }, other: {}, share: 0.5 },
    { name: 'weights', first: { plan: 'heavy' }, other: {}, share: WEIGHT / (WEIGHT + 1) },
  ]
}

/** The share of the first organization in each window. */
async function measureShares(run: ProofRun, fleet: Fleet, contest: Contest): Promise<number[]> {
  const { environment, engines, lines, size } = fleet
  const { plan = 'light', ...first } = contest.first
  const usual = {
    lines,
    model: MODEL,
    open: Math.ceil(size.engines * SLOTS * OPEN_FACTOR),
    nextMs: () => Math.round((SERVICE_MS * run.random.between(80, 120)) / 100),
  }
  const by = [`${contest.name} first`, `${contest.name} other`] as const
  const [firstCaller, otherCaller] = [
    await environment.openCaller(plan),
    await environment.openCaller('light'),
  ]
  const asking = [
    askWithoutEnd({ ...usual, ...first, key: firstCaller.key, by: by[0] }),
    askWithoutEnd({ ...usual, ...contest.other, key: otherCaller.key, by: by[1] }),
  ]
  const read = async () => {
    const counts = await engines.counts()
    const [one, two] = by.map((name) =>
      counts.reduce((sum, { busyMsBy }) => sum + (busyMsBy[name] ?? 0), 0),
    ) as [number, number]
    return { one, all: one + two }
  }
  // sleep is under test: shares are compared over time.
  await pause(size.warmMs)
  const shares: number[] = []
  for (let from = await read(); shares.length < size.windows;) {
    await pause(size.windowMs)
    const to = await read()
    shares.push((to.one - from.one) / (to.all - from.all))
    from = to
  }
  for (const each of asking) each.stop()
  await Promise.all(asking.map(({ ended }) => ended))
  const statuses = asking.flatMap(({ answers }) => [...answers.keys()])
  const others = statuses.filter((status) => status !== 200 && status !== 503)
  if (others.length > 0) run.fail(`${contest.name}: answers with ${others.join(', ')}`)
  return shares
}

function judge(run: ProofRun, { name, share }: Contest, shares: readonly number[]): void {
  for (const measured of shares) {
    const shown = `${name}: the first got ${(100 * measured).toFixed(1)} % of the tokens`
    console.log(`${shown}, of a share of ${100 * share} %`)
    if (share === 0.5) {
      // Neither may get much less than its half.
      const least = Math.min(measured, 1 - measured) / share
      if (least < (run.short ? SHORT_SHARE_MIN : SHARE_MIN)) run.fail(shown)
    } else {
      const ratio = measured / (1 - measured)
      const within = run.short ? SHORT_WEIGHTED_WITHIN : WEIGHTED_WITHIN
      if (Math.abs(ratio / WEIGHT - 1) > within) run.fail(`${shown}, ${ratio.toFixed(2)} : 1`)
    }
  }
}

await runProof('fairness', async (run) => {
  const size: Size = run.short ? SIZES.short : SIZES.full
  await using engines = await startSlottedEngines(size.engines, { slots: SLOTS, onExcess: 'fail' })
  const plan = { models: 'all' as const, limits: limitsOf() }
  await using environment = await startEnvironment({
    engines: engines.settings,
    models: [{ id: MODEL, engines: engines.settings.map(({ name }) => name) }],
    plans: { light: { ...plan, weight: 1 }, heavy: { ...plan, weight: WEIGHT } },
    valkey: 'own',
  })
  await using opened = new AsyncDisposableStack()
  const apis = await environment.startApis(size.processes)
  const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, CONNECTIONS)))
  const fleet = { environment, engines, lines, size }
  const figures: Record<string, string> = {}
  for (const contest of contestsOf(run, fleet)) {
    const shares = await measureShares(run, fleet, contest)
    judge(run, contest, shares)
    figures[contest.name] = shares.map((share) => `${(100 * share).toFixed(1)}%`).join('/')
  }
  return figures
})

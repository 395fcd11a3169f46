// Organizations get their shares of the tokens, whatever they send and whichever process they use.
// covers: src/engines/fleet/** src/store/fleet/**
import { setTimeout as pause } from 'node:timers/promises'
import { askWithoutEnd } from '../harness/clients/ask-without-end.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import {
  startSlottedFleets,
  startSlottedProcesses,
  WEIGHT,
  type Organization,
  type SlottedFleet,
} from '../harness/load/slotted-fleet.ts'

/** The short form has fleets in this process, which need little of a busy machine. */
const SIZES = {
  full: { processes: 16, engines: 4, slots: 16, warmMs: 10_000, windowMs: 60_000, windows: 2 },
  short: { processes: 16, engines: 2, slots: 16, warmMs: 4_000, windowMs: 5_000, windows: 1 },
} as const
type Size = (typeof SIZES)['full' | 'short']

/** What an ordinary request needs; a large one needs several times as much. */
const SERVICE_MS = 400
const LARGE_FACTOR = 4
/** Requests that each organization has open, as a multiple of all slots. */
const OPEN_FACTOR = 1.5
const WASTED_TOKENS_MAX = 4_096
/** One of so many processes, for an organization that uses few. */
const FEW_SHARE = 8

const SHARE_MIN = 0.9
const WEIGHTED_WITHIN = 0.05
/** Few requests fit into a short time. Without weights it would be off by 0.67. */
const SHORT_SHARE_MIN = 0.7
const SHORT_WEIGHTED_WITHIN = 0.4

/** What one of two organizations does. */
type Side = {
  readonly weight?: Organization['weight']
  readonly tokensMax?: number
  readonly processes?: number
  readonly open?: number
  readonly factor?: number
}

/** `share` of the tokens is fair for the first. */
type Contest = {
  readonly name: string
  readonly first: Side
  readonly other: Side
  readonly share: number
}

function contestsOf({ slots, processes }: SlottedFleet): readonly Contest[] {
  const large = { factor: LARGE_FACTOR, open: slots + processes }
  const few = { processes: Math.max(1, processes / FEW_SHARE) }
  return [
    // It always has a large request waiting, which an unfair queue would always prefer.
    { name: 'capture', first: {}, other: large, share: 0.5 },
    // It reserves many times what it uses.
    { name: 'waste', first: { tokensMax: WASTED_TOKENS_MAX }, other: {}, share: 0.5 },
    { name: 'few_processes', first: few, other: {}, share: 0.5 },
    { name: 'weights', first: { weight: WEIGHT }, other: {}, share: WEIGHT / (WEIGHT + 1) },
  ]
}

function startAsking(run: ProofRun, fleet: SlottedFleet, name: string, side: Side) {
  const { weight = 1, processes = fleet.processes, factor = 1 } = side
  const open = side.open ?? Math.ceil(fleet.slots * OPEN_FACTOR)
  const { tokensMax } = side
  const organization = { name, weight, ...(tokensMax === undefined ? {} : { tokensMax }) }
  return askWithoutEnd(open, async (index) => {
    const ms = Math.round((SERVICE_MS * factor * run.random.between(80, 120)) / 100)
    return (await fleet.use(index % processes, organization, ms)).status
  })
}

/** The share of the first organization in each window. */
async function measureShares(run: ProofRun, fleet: SlottedFleet, size: Size, contest: Contest) {
  const names = [`${contest.name} first`, `${contest.name} other`] as const
  const asking = [
    startAsking(run, fleet, names[0], contest.first),
    startAsking(run, fleet, names[1], contest.other),
  ]
  const read = async () => {
    const busyMsBy = await fleet.busyMsBy()
    const [first, other] = names.map((name) => busyMsBy[name] ?? 0) as [number, number]
    return { first, all: first + other }
  }
  // time is under test: shares are compared over time.
  await pause(size.warmMs)
  const shares: number[] = []
  for (let from = await read(); shares.length < size.windows;) {
    // time is under test: shares are compared over time.
    await pause(size.windowMs)
    const to = await read()
    shares.push((to.first - from.first) / (to.all - from.all))
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
    console.log(`${shown}, its share is ${100 * share} %`)
    if (share === 0.5) {
      // Neither may get much less than its half.
      const least = Math.min(measured, 1 - measured) / share
      if (!(least >= (run.short ? SHORT_SHARE_MIN : SHARE_MIN))) run.fail(shown)
    } else {
      const ratio = measured / (1 - measured)
      const within = run.short ? SHORT_WEIGHTED_WITHIN : WEIGHTED_WITHIN
      if (!(Math.abs(ratio / WEIGHT - 1) <= within)) run.fail(`${shown}, ${ratio.toFixed(2)} : 1`)
    }
  }
}

await runProof('fairness', async (run) => {
  const size: Size = run.short ? SIZES.short : SIZES.full
  await using fleet = await (run.short ? startSlottedFleets : startSlottedProcesses)(size)
  const figures: Record<string, string | number> = {}
  for (const contest of contestsOf(fleet)) {
    const shares = await measureShares(run, fleet, size, contest)
    judge(run, contest, shares)
    figures[contest.name] = shares.map((share) => `${(100 * share).toFixed(1)}%`).join('/')
  }
  const excess = await fleet.excess()
  if (excess > 0) run.fail(`${excess} requests over-committed an engine`)
  return { ...figures, over_commits: excess }
})

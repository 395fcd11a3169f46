// An organization alone uses every slot, and one that comes now and then hardly waits for it.
// covers: src/engines/fleet/** src/store/fleet/**
import { setTimeout as pause } from 'node:timers/promises'
import { askWithoutEnd } from '../harness/clients/ask-without-end.ts'
import { durationMs } from '../harness/clients/http-client.ts'
import { percentile } from '../harness/figures/measure.ts'
import { offer } from '../harness/load/offer.ts'
import { runProof } from '../harness/proof.ts'
import {
  measureUse,
  startSlottedFleets,
  startSlottedProcesses,
} from '../harness/load/slotted-fleet.ts'

/** The short form has fleets in this process, which need little of a busy machine. */
const SIZES = {
  full: { processes: 8, longMs: 20_000, warmMs: 10_000, aloneMs: 30_000, visits: 60 },
  short: { processes: 8, longMs: 4_000, warmMs: 2_000, aloneMs: 4_000, visits: 6 },
} as const

const ENGINES = { engines: 4, slots: 16 }
/** Requests of the organization that fills the slots; some always wait. */
const OPEN = 80
const VISIT_MS = 2_000
const VISITOR_MS = 500

const USED_MIN = 0.99
const WAIT_MS_MAX = 1_000
const SHORT_USED_MIN = 0.9
const SHORT_WAIT_MS_MAX = 3_000

const RESIDENT = { name: 'resident', weight: 1 } as const
const VISITOR = { name: 'visitor', weight: 1 } as const

await runProof('newcomer', async (run) => {
  const { processes, longMs, ...size } = run.short ? SIZES.short : SIZES.full
  const start = run.short ? startSlottedFleets : startSlottedProcesses
  await using fleet = await start({ processes, ...ENGINES })
  const asking = askWithoutEnd(OPEN, async (index) => {
    const ms = Math.round((longMs * run.random.between(10, 190)) / 100)
    return (await fleet.use(index % processes, RESIDENT, ms)).status
  })
  // time is under test: the residents use the fleet for a while before it is measured.
  await pause(size.warmMs)
  // time is under test: the use of slots is measured over time.
  const used = await measureUse(fleet, () => pause(size.aloneMs))
  const visits = Array.from({ length: size.visits }, (_, visit) => {
    return { atMs: visit * VISIT_MS, process: visit % processes }
  })
  const answered = await offer(visits, ({ process }) => fleet.use(process, VISITOR, VISITOR_MS))
  asking.stop()
  await asking.ended
  const waits = answered.map(({ exchange }) => durationMs(exchange) - VISITOR_MS)
  const p99 = percentile(waits, 0.99)
  const refused = answered.filter(({ exchange }) => exchange.status !== 200).length
  const excess = await fleet.excess()
  if (used < (run.short ? SHORT_USED_MIN : USED_MIN))
    run.fail(`alone, an organization used ${(100 * used).toFixed(1)} % of the slots`)
  if (!(p99 <= (run.short ? SHORT_WAIT_MS_MAX : WAIT_MS_MAX)))
    run.fail(`the newcomer waited ${p99.toFixed(0)} ms`)
  if (refused > 0) run.fail(`${refused} requests of the newcomer were refused`)
  if (excess > 0) run.fail(`${excess} requests over-committed an engine`)
  return {
    used_alone: `${(100 * used).toFixed(1)}%`,
    visits: answered.length,
    wait_p50: `${percentile(waits, 0.5).toFixed(0)}ms`,
    wait_p99: `${p99.toFixed(0)}ms`,
    over_commits: excess,
  }
})

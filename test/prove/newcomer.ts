// An organization alone uses every slot, and one that comes now and then hardly waits for it.
import { setTimeout as pause } from 'node:timers/promises'
import { askWithoutEnd, workOf } from '../harness/ask-without-end.ts'
import { startEnvironment } from '../harness/environment.ts'
import {
  slottedRequest,
  startSlottedEngines,
  sumOf,
  type SlottedEngines,
} from '../harness/fake-engine/slotted.ts'
import { durationMs, openLine } from '../harness/http-client.ts'
import { percentile } from '../harness/measure.ts'
import { offer } from '../harness/offer.ts'
import { runProof } from '../harness/proof.ts'

const SIZES = {
  full: { processes: 8, longMs: 20_000, warmMs: 10_000, aloneMs: 30_000, visits: 60 },
  short: { processes: 2, longMs: 6_000, warmMs: 2_000, aloneMs: 4_000, visits: 6 },
} as const

const ENGINES = 4
const SLOTS = 16
/** Requests of the organization that fills the slots; some always wait. */
const OPEN = 80
const VISIT_MS = 2_000
const VISITOR_MS = 500
const CONNECTIONS = 200

const USED_MIN = 0.99
const WAIT_MS_MAX = 1_000
const SHORT_USED_MIN = 0.9
const SHORT_WAIT_MS_MAX = 3_000

const MODEL = 'test/slotted'

/** The share of all slots that is used over some time. */
async function measureUse(engines: SlottedEngines, ms: number): Promise<number> {
  const before = sumOf(await engines.counts(), 'busyMs')
  const sinceMs = performance.now()
  // sleep is under test: the use of slots is measured over time.
  await pause(ms)
  const busyMs = sumOf(await engines.counts(), 'busyMs') - before
  return busyMs / (ENGINES * SLOTS * (performance.now() - sinceMs))
}

await runProof('newcomer', async (run) => {
  const size = run.short ? SIZES.short : SIZES.full
  await using engines = await startSlottedEngines(ENGINES, { slots: SLOTS, onExcess: 'fail' })
  await using environment = await startEnvironment({
    engines: engines.settings,
    models: [{ id: MODEL, engines: engines.settings.map(({ name }) => name) }],
    valkey: 'own',
  })
  await using opened = new AsyncDisposableStack()
  const apis = await environment.startApis(size.processes)
  const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, CONNECTIONS)))
  const [resident, visitor] = [await environment.openCaller(), await environment.openCaller()]
  const asking = askWithoutEnd({
    key: resident.key,
    by: 'resident',
    lines,
    open: OPEN,
    model: MODEL,
    nextMs: () => Math.round((size.longMs * run.random.between(10, 190)) / 100),
  })
  await pause(size.warmMs)
  const used = await measureUse(engines, size.aloneMs)
  const visits = Array.from({ length: size.visits }, (_, visit) => ({
    atMs: visit * VISIT_MS,
    visit,
  }))
  const answered = await offer(visits, ({ visit }) =>
    lines[visit % lines.length]!.chat(
      visitor.key,
      slottedRequest(MODEL, workOf(VISITOR_MS, 'visitor')),
    ),
  )
  asking.stop()
  await opened.disposeAsync()
  await asking.ended
  const waits = answered.map(({ exchange }) => durationMs(exchange) - VISITOR_MS)
  const p99 = percentile(waits, 0.99)
  const refused = answered.filter(({ exchange }) => exchange.status !== 200).length
  const excess = sumOf(await engines.counts(), 'excess')
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

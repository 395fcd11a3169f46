// On a bad day no page of the console is untrue or loses what was typed, and each is right again
// without a reload by hand. What is true is asked from the management API itself.
// covers: web/src/**
import { PAGES, type PageRow } from '../harness/browser/pages.ts'
import { openSession } from '../harness/processes/console.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { DAYS, type Day } from './bad-days/days.ts'
import { PEOPLE_DAYS } from './bad-days/people-days.ts'
import type { Visit } from './bad-days/visit.ts'
import { openWorld, type World } from './bad-days/world.ts'

/** Each kind of page: live figures, a list with a form, one thing, settings, and the operator's. */
const SHORT_PATHS = new Set([
  '/o/{slug}',
  '/o/{slug}/projects',
  '/o/{slug}/keys/{key}',
  '/operator',
])
const PAGES_AT_ONCE = 4

const ROWS = PAGES.filter(({ path }) => /^\/(o|account|operator)\b/.test(path))

async function liveDay(run: ProofRun, world: World, day: Day, counts: Counts): Promise<void> {
  const rows = ROWS.filter((row) => day.isFor?.(row) ?? true).filter(
    ({ path }) => !run.short || SHORT_PATHS.has(path),
  )
  for (let at = 0; at < rows.length; at += PAGES_AT_ONCE) {
    const visits = await Promise.all(
      rows.slice(at, at + PAGES_AT_ONCE).map((row) => startVisit(run, world, day, row, counts)),
    )
    try {
      await day.live(visits, world)
    } catch (error) {
      run.fail(`${day.name}: ${(error as Error).message.split('\n')[0]}`)
    }
    await Promise.all(visits.map(({ page }) => page.context().close()))
  }
}

type Counts = { visits: number; compared: number; kept: number }

/** Each page has a session of its own, so that one page can lose it. */
async function startVisit(
  run: ProofRun,
  world: World,
  day: Day,
  row: PageRow,
  counts: Counts,
): Promise<Visit> {
  const { web, seeded } = world
  const known = seeded.people[row.as]!
  const person = { ...known, as: await openSession(web.environment.postgres, known.accountId) }
  counts.visits += 1
  return {
    world,
    row,
    person,
    page: await world.openPage(person),
    asked: { origin: web.origin, places: seeded.places, person },
    fail: (what) => run.fail(`${day.name}: ${row.path} (${row.as}) ${what}`),
    count: (what) => void (counts[what] += 1),
  }
}

await runProof(
  'bad-days',
  async (run) => {
    await using world = await openWorld()
    const counts: Counts = { visits: 0, compared: 0, kept: 0 }
    const days = [...DAYS, ...PEOPLE_DAYS].filter(({ name }) =>
      name.startsWith(run.values['only'] ?? ''),
    )
    for (const day of days) {
      const start = Date.now()
      await liveDay(run, world, day, counts)
      console.log(`${day.name}: ${Math.round((Date.now() - start) / 1000)} s`)
    }
    return { days: days.length, ...counts }
  },
  { only: { type: 'string' } },
)

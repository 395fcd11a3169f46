// Every page fits every width: no sideways scrolling, nothing outside of its card, no figure cut
// and nothing that jumps while it loads, with names as long and as wide as they may be; and once
// more in a language that is 40 % longer than English and read from right to left.
// covers: web/src/**
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import { PAGES, pathOf, PAYMENT_PAGES, type PageRow } from '../harness/browser/pages.ts'
import { buildPseudo } from '../harness/browser/pseudo/build-pseudo.ts'
import { servePseudo } from '../harness/browser/pseudo/serve-pseudo.ts'
import { signIn, type Web } from '../harness/browser/web.ts'
import { openPayingWeb } from '../harness/payments/paying-web.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { TAXED, type SeededWithPayments } from './accessibility/seed-payments.ts'
import { MEASURE, WATCH_SHIFT, type Fit } from './page-fit/measure-fit.ts'
import { seedLongNames } from './page-fit/seed-long-names.ts'

const WIDTHS = [390, 768, 1024, 1280, 1440, 1920]
const SHORT_WIDTHS = [390, 1024, 1440]
const HEIGHT = 900
/** In the pseudo-language: enough to see whether what fits in English fits others. */
const PSEUDO_WIDTHS = [390, 1280]
/** What the short form looks at in the pseudo-language, and with late answers. */
const FEW_PAGES = [
  '/sign-in',
  '/o/{slug}',
  '/o/{slug}/keys',
  '/o/{slug}/usage',
  '/o/{slug}/billing',
  '/o/{slug}/members',
  '/o/{paying}/billing',
  '/o/{paying}/audit',
  '/o/{owing}/billing',
  '/operator',
]
const PAGES_AT_ONCE = 2
const READY_MS = 30_000
const SHIFT_MAX = 0.05
/** Answers arrive in another order each time: with the network of this machine, and this late. */
const LATE_MS = 900
const LATE_WIDTHS = [390, 1440]
const SHORT_LATE_WIDTHS = [390]

const READY = `document.querySelector('h1') !== null &&
  (document.getElementById('main') === null || document.querySelector('aside nav a') !== null) &&
  document.querySelector('[data-shows=loading], [aria-busy="true"]') === null`
/** Sizes are watched by the page itself, which draws again in the next frames. */
const DRAWN = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))`

type Visit = {
  readonly run: ProofRun
  readonly web: Web
  readonly seeded: SeededWithPayments
  readonly widths: readonly number[]
  /** Where answers come late, in another order. */
  readonly lateWidths: readonly number[]
  /** The folder of a build that is shown in place of the one that the console serves. */
  readonly pseudo?: string
  readonly counts: { pages: number; views: number; shift_max: number }
}

async function checkPage(visit: Visit, row: PageRow): Promise<void> {
  const { run, web, seeded, counts } = visit
  const page = await web.openPage()
  await page.addInitScript(WATCH_SHIFT)
  if (visit.pseudo !== undefined) await servePseudo(page, web, visit.pseudo)
  const person = seeded.people[row.as]
  if (person !== null) await signIn(page, web, person)
  counts.pages += 1
  const language = visit.pseudo === undefined ? '' : 'qps '
  for (const { width, late } of [
    ...visit.widths.map((each) => ({ width: each, late: false })),
    ...visit.lateWidths.map((each) => ({ width: each, late: true })),
  ]) {
    const view = `${language}${row.path} (${row.as}) at ${width} px`
    const fail = (what: string) => run.fail(`${view}${late ? ' with late answers' : ''}: ${what}`)
    if (late) await delayAnswers(page, run)
    try {
      const { findings, shift, moved } = await measureAt(
        page,
        web.origin + pathOf(row, seeded.places),
        {
          width,
          fail,
        },
      )
      counts.views += 1
      counts.shift_max = Math.max(counts.shift_max, Number(shift.toFixed(3)))
      // The texts are the same as those that were there at once.
      if (!late) findings.forEach(fail)
      if (shift > SHIFT_MAX) fail(`the layout shifts by ${shift.toFixed(3)}: ${moved.join(' | ')}`)
      if (!late) await keep(page, run.values['keep'], `${language}${row.path}-${row.as}-${width}`)
    } catch (error) {
      fail(`could not be checked: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  await page.context().close()
}

/** Each answer of the management API comes after a random time, so that none has a fixed place. */
async function delayAnswers(page: Page, run: ProofRun): Promise<void> {
  await page.unrouteAll()
  await page.route('**/management/v1/**', async (route) => {
    // time is under test: what moves when answers arrive one after the other
    await pause(run.random.between(0, LATE_MS))
    await route.continue().catch(() => {})
  })
}

async function measureAt(
  page: Page,
  address: string,
  { width, fail }: { readonly width: number; readonly fail: (what: string) => void },
): Promise<Fit> {
  await page.setViewportSize({ width, height: HEIGHT })
  await page.goto(address)
  const readyMs = await timeUntil(async () => page.evaluate<boolean>(READY), READY_MS)
  if (readyMs === null) fail('does not come to rest')
  await page.evaluate(DRAWN)
  return page.evaluate<Fit>(MEASURE)
}

/** Keeps pictures in light and dark for somebody who looks at them. */
async function keep(page: Page, folder: string | undefined, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name.replaceAll(/[^a-z0-9]+/gi, '-'))
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${file}-${colorScheme}.png` })
  }
  await page.emulateMedia({ colorScheme: null })
}

await runProof(
  'page-fit',
  async (run) => {
    await using web = await openPayingWeb({
      worker: true,
      valkey: 'own',
      payments: TAXED,
      mail: true,
    })
    const widths = run.short ? SHORT_WIDTHS : WIDTHS
    const counts = { pages: 0, views: 0, shift_max: 0 }
    const lateWidths = run.short ? SHORT_LATE_WIDTHS : LATE_WIDTHS
    const visit: Visit = { run, web, seeded: await seedLongNames(web), widths, lateWidths, counts }
    const only = run.values['only'] ?? ''
    const rows = [...PAGES, ...PAYMENT_PAGES].filter(({ path }) => path.startsWith(only))
    await forEachLimited(PAGES_AT_ONCE, rows, (row) => {
      const isLate = !run.short || FEW_PAGES.includes(row.path)
      return checkPage({ ...visit, lateWidths: isLate ? lateWidths : [] }, row)
    })
    const { pages } = counts
    using build = buildPseudo()
    const inPseudo = { ...visit, widths: PSEUDO_WIDTHS, lateWidths: [], pseudo: build.folder }
    const others = run.short ? rows.filter(({ path }) => FEW_PAGES.includes(path)) : rows
    await forEachLimited(PAGES_AT_ONCE, others, (row) => checkPage(inPseudo, row))
    return { ...counts, pages, pseudo: counts.pages - pages, widths: widths.length }
  },
  { only: { type: 'string' }, keep: { type: 'string' } },
)

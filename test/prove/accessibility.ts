// No page of the web app has an accessibility finding, in both themes and with its dialogs open;
// the keyboard reaches everything, a phone shows everything, and nothing moves if not wanted.
// covers: web/src/**
import type { Page } from 'playwright-core'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import {
  PAGES,
  pathOf,
  PAYMENT_PAGES,
  type PageRow,
  type Visitor,
} from '../harness/browser/pages.ts'
import { signIn, type Web } from '../harness/browser/web.ts'
import { openPayingWeb } from '../harness/payments/paying-web.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { findFindings } from './accessibility/find-findings.ts'
import { openEverything } from './accessibility/open-everything.ts'
import { seedWithPayments, TAXED, type SeededWithPayments } from './accessibility/seed-payments.ts'
import { walkByTab } from './accessibility/walk-by-tab.ts'

const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const PAGES_AT_ONCE = 2
const READY_MS = 20_000

type Counts = {
  pages: number
  views: number
  dialogs: number
  menus: number
  /** Buttons that could not be pressed, because they are disabled. */
  disabled: number
  stops: number
}

type Visit = {
  readonly run: ProofRun
  readonly web: Web
  readonly seeded: SeededWithPayments
  readonly counts: Counts
}

/** Rendered with its navigation, and nothing is on its way any more. */
const READY = `document.querySelector('h1') !== null &&
  (document.getElementById('main') === null || document.querySelector('aside nav a') !== null) &&
  document.querySelector('[data-shows=loading], [aria-busy="true"]') === null`

/** How much wider than the screen the page is, and the innermost element that makes it so. */
const TOO_WIDE = `(() => {
  const pixels = document.documentElement.scrollWidth - window.innerWidth
  const rightOf = (each) => each.getBoundingClientRect().right + scrollX
  const over = [...document.querySelectorAll('body *')]
    .filter((each) => rightOf(each) > window.innerWidth)
    .sort((a, b) => rightOf(b) - rightOf(a))
  const by = over.find((each) => Math.abs(rightOf(each) - innerWidth - pixels) < 1)
  return { pixels, by: by?.outerHTML.slice(0, 120) }
})()`

const MOVING = `document.getAnimations().filter((each) => each.playState === 'running').length`

async function openFor({ web, seeded }: Visit, as: Visitor): Promise<Page> {
  const page = await web.openPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' })
  // Opening every dialog presses every button: nothing may be changed by it.
  await page.route('**/management/v1/**', (route) =>
    route.request().method() === 'GET' ? route.continue() : route.abort(),
  )
  const person = seeded.people[as]
  if (person !== null) await signIn(page, web, person)
  return page
}

async function checkPage(visit: Visit, row: PageRow): Promise<void> {
  const { run, web, seeded, counts } = visit
  const path = pathOf(row, seeded.places)
  const page = await openFor(visit, row.as)
  const fail = (what: string) => run.fail(`${row.path} (${row.as}): ${what}`)
  try {
    page.on('pageerror', (error) => fail(`throws: ${error.message}`))
    await page.goto(web.origin + path)
    // Not by a function that waits in the page: the policy forbids to evaluate it there.
    const readyMs = await timeUntil(async () => page.evaluate<boolean>(READY), READY_MS)
    if (readyMs === null) fail('does not come to rest')
    counts.pages += 1
    counts.views += await findFindings(page, 'the page', fail)
    if (Number(await page.evaluate(MOVING)) > 0) fail('something moves with reduced motion')
    counts.stops += await walkByTab(page, fail)
    const opened = await openEverything(page, fail)
    counts.dialogs += opened.dialogs
    counts.menus += opened.menus
    counts.disabled += opened.disabled
    counts.views += opened.views
    await page.setViewportSize(PHONE)
    const wide: { pixels: number; by?: string } = await page.evaluate(TOO_WIDE)
    if (wide.pixels > 0) fail(`is ${wide.pixels} px wider than a phone: ${wide.by}`)
  } catch (error) {
    fail(`could not be checked: ${(error as Error).message.split('\n')[0]}`)
  } finally {
    await page.context().close()
  }
}

await runProof(
  'accessibility',
  async (run) => {
    await using web = await openPayingWeb({
      worker: true,
      valkey: 'own',
      payments: TAXED,
      mail: true,
    })
    const counts: Counts = { pages: 0, views: 0, dialogs: 0, menus: 0, disabled: 0, stops: 0 }
    const visit: Visit = { run, web, seeded: await seedWithPayments(web), counts }
    const only = run.values['only'] ?? ''
    const rows = [...PAGES, ...PAYMENT_PAGES].filter(({ path }) => path.startsWith(only))
    await forEachLimited(PAGES_AT_ONCE, rows, (row) => checkPage(visit, row))
    return counts
  },
  { only: { type: 'string' } },
)

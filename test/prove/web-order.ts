// A page of the console looks the same, to the pixel, whichever pages were open before it.
// covers: web/src/**
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser, type TestBrowser } from '../harness/browser/browser.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { PAGES, pathOf, type PageRow, type Visitor } from '../harness/browser/pages.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { openWeb, signIn, type Web } from '../harness/browser/web.ts'
import { seed, type Seeded } from './accessibility/seed.ts'
import { countPending, freeze, type Frozen } from './web-order/freeze.ts'
import { takeLooks, WAYS, type Looks, type Way } from './web-order/take-looks.ts'

/** A page, or what a key opens over it. */
type View = PageRow & { readonly press?: string }

const VIEWS: readonly View[] = [
  ...PAGES,
  { path: '/o/{slug}/keys?create=1', as: 'owner' },
  { path: '/account/profile', as: 'owner', press: '?' },
  { path: '/account/profile', as: 'owner', press: 'Control+k' },
]

/** Pages that do not forget the person who was signed in, because they need nobody. */
const NEEDS_NO_SESSION = /^\/(sign-in|sign-up|verify|reset|join|restricted|explained)\b/
/** Otherwise Chromium draws only what changed, and the edges of that differ by a pixel. */
const EVERY_PIXEL_AGAIN = ['--disable-partial-raster']
const ARRIVED_MS = 30_000
const ARRIVED = `__TSR_ROUTER__.history.location.href ===
  __TSR_ROUTER__.state.resolvedLocation?.href && __TSR_ROUTER__.state.status === 'idle'`

type Walk = {
  readonly web: Web
  readonly browser: TestBrowser
  readonly seeded: Seeded
  readonly frozen: Frozen
  readonly ways: readonly Way[]
}

const titleOf = ({ path, as, press = '' }: View) => `${path} ${press}(${as})`

/** A browser profile that goes from view to view. */
async function openProfile({ web, browser, seeded, frozen, ways }: Walk) {
  const page = await browser.openStrictPage({ reducedMotion: 'reduce' })
  let visitor: Visitor = 'nobody'
  const pending = countPending(page.context())
  await freeze(page, frozen, () => visitor)
  const become = async (as: Visitor) => {
    await page.context().clearCookies()
    const person = seeded.people[as]
    if (person !== null) await signIn(page, web, person)
    visitor = as
  }
  const look = async ({ press }: View, expected?: Looks) => {
    if (press !== undefined) {
      await page.locator('h1').first().waitFor()
      await page.keyboard.press(press)
      await page.locator('dialog[open]').waitFor()
    }
    const looks = await takeLooks(page, ways, pending, expected)
    if (press !== undefined) await page.keyboard.press('Escape')
    return looks
  }
  return { page, become, look, visitor: () => visitor }
}

/** What each view looks like as the first page of a document. */
async function lookDirectly(walk: Walk): Promise<ReadonlyMap<View, Looks>> {
  const { page, become, look } = await openProfile(walk)
  const found = new Map<View, Looks>()
  for (const view of VIEWS) {
    await become(view.as)
    await page.goto(walk.web.origin + pathOf(view, walk.seeded.places))
    found.set(view, await look(view))
  }
  await page.context().close()
  return found
}

/** Goes through the views in one document, as links do. */
async function lookInOrder(
  walk: Walk,
  order: readonly View[],
  direct: ReadonlyMap<View, Looks>,
  note: (view: View, way: string, image: Buffer) => void,
): Promise<void> {
  const { page, become, look, visitor } = await openProfile(walk)
  await page.goto(`${walk.web.origin}/sign-in`)
  for (const view of order) {
    if (view.as !== visitor()) {
      await leave(page)
      await become(view.as)
    }
    await go(page, pathOf(view, walk.seeded.places))
    const expected = direct.get(view)
    for (const [way, image] of await look(view, expected))
      if (!expected?.get(way)?.equals(image)) note(view, way, image)
  }
  await page.context().close()
}

/** As if another tab had signed out: the page forgets the person without a new document. */
async function leave(page: Page): Promise<void> {
  if (NEEDS_NO_SESSION.test(new URL(page.url()).pathname)) return
  await page.evaluate(`new BroadcastChannel('headrace-session').postMessage('signed-out')`)
  await page.waitForURL('**/sign-in**', { timeout: ARRIVED_MS })
}

/** The router follows the history of the browser, and says when the page is there. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
  const isThere = () => page.evaluate<boolean>(ARRIVED)
  await waitUntil(`${path} to be the page`, isThere, ARRIVED_MS)
}

function shuffled(run: ProofRun): View[] {
  const left = [...VIEWS]
  return VIEWS.map(() => left.splice(run.random.between(0, left.length - 1), 1)[0] as View)
}

await runProof(
  'web-order',
  async (run) => {
    await using web = await openWeb({ worker: true, valkey: 'own' })
    await using browser = await startBrowser(EVERY_PIXEL_AGAIN)
    const seeded = await seed(web)
    const frozen: Frozen = { at: new Date(), answers: new Map() }
    const ways = run.short ? [WAYS[0]!, WAYS[2]!] : WAYS
    const walk: Walk = { web, browser, seeded, frozen, ways }
    const direct = await lookDirectly(walk)
    const orders = [VIEWS.toReversed(), shuffled(run), ...(run.short ? [] : [VIEWS])]
    const differing = new Set<View>()
    for (const order of orders)
      await lookInOrder(walk, order, direct, (view, way, image) => {
        if (!differing.has(view)) run.fail(`${titleOf(view)} in ${way}: differs after others`)
        differing.add(view)
        keep(run.values['keep'], `${titleOf(view)} ${way}`, direct.get(view)?.get(way), image)
      })
    return {
      views: VIEWS.length,
      orders: orders.length,
      screenshots: VIEWS.length * (orders.length + 1) * ways.length,
      differing: differing.size,
    }
  },
  { keep: { type: 'string' } },
)

/** Keeps both images of a difference for somebody who looks for the reason. */
function keep(folder: string | undefined, name: string, expected: Buffer | undefined, is: Buffer) {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name.replaceAll(/[^a-z0-9]+/gi, '-'))
  if (expected !== undefined) writeFileSync(`${file}.direct.png`, expected)
  writeFileSync(`${file}.after.png`, is)
}

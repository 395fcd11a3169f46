import { endSessions } from '../../../src/store/sign-in/sessions.ts'
import { timeUntil } from '../../harness/figures/measure.ts'
import type { PageRow } from '../../harness/browser/pages.ts'
import { signIn } from '../../harness/browser/web.ts'
import { openSession } from '../../harness/processes/console.ts'
import { askApi, missingIn, pickFrom, textOf, truthOf } from './facts.ts'
import {
  becomesTrue,
  goWithin,
  hasForm,
  isNotLive,
  markDocument,
  open,
  stayed,
  typeInForm,
  type Visit,
} from './visit.ts'
import { renameAll, type World } from './world.ts'

/** A kind of bad day, lived by several pages at once. */
export type Day = {
  readonly name: string
  /** The pages that it is for; default: all. */
  readonly isFor?: (row: PageRow) => boolean
  readonly live: (visits: readonly Visit[], world: World) => Promise<void>
}

const SEEN_MS = 60_000
const SLOW = { offline: false, latency: 300, downloadThroughput: 60_000, uploadThroughput: 60_000 }

const each = (visits: readonly Visit[], act: (visit: Visit) => Promise<void>) =>
  Promise.all(visits.map(act))

async function prepare(visit: Visit): Promise<void> {
  await open(visit)
  await becomesTrue(visit)
  await markDocument(visit)
  await typeInForm(visit)
}

async function saysNoConnection({ page, fail }: Visit): Promise<void> {
  const strip = page.getByRole('main').getByText('No connection.', { exact: true }).first()
  const isSaid = () => strip.isVisible()
  if ((await timeUntil(isSaid, SEEN_MS)) === null) fail('does not say that there is no connection')
}

/** Meanwhile the truth changes; afterwards the page shows the new one without a reload. */
async function cutOff(visits: readonly Visit[], world: World, cut: Cut): Promise<void> {
  await each(visits, prepare)
  await cut.begin()
  await each(visits, saysNoConnection)
  await each(visits, isNotLive)
  await renameAll(world)
  await cut.end()
  await each(visits, becomesTrue)
  await each(visits, stayed)
  await each(visits, fits)
}

type Cut = { readonly begin: () => Promise<unknown>; readonly end: () => Promise<unknown> }

/** Names of 100 letters and from right to left do not push anything out of the window. */
async function fits({ page, fail }: Visit): Promise<void> {
  const wider = await page.evaluate<number>(
    `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
  )
  if (wider > 0) fail(`scrolls sideways by ${wider} px`)
}

const offline: Day = {
  name: 'offline',
  live: (visits, world) => {
    const set = (isOffline: boolean) =>
      each(visits, ({ page }) => page.context().setOffline(isOffline))
    return cutOff(visits, world, { begin: () => set(true), end: () => set(false) })
  },
}

/** A page that is opened meanwhile waits, and loads itself when the console is back. */
const consoleAway: Day = {
  name: 'console away',
  live: async (visits, world) => {
    await each(visits, openOther)
    await world.web.console.kill()
    await each(visits, goWithin)
    await each(visits, saysNoConnection)
    await each(visits, isNotLive)
    await renameAll(world)
    await world.web.console.start()
    await each(visits, becomesTrue)
  },
}

/** A page that the person comes from. */
async function openOther(visit: Visit): Promise<void> {
  await visit.page.goto(`${visit.asked.origin}/account/sessions`)
  await visit.page.getByText('This one').waitFor()
  await markDocument(visit)
}

/** States and figures, and sentences that say that there is nothing. */
const WATCH_CLAIMS = `(() => {
  const seen = new Set()
  const look = () => {
    for (const claim of document.querySelectorAll(
      '#main :is(.tag, .fig, [data-value], [class*=empty] h2, [class*=oneState])'))
      if (claim.closest('[data-shows=loading]') === null) seen.add(claim.textContent.trim())
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true,
    characterData: true })
  Object.defineProperty(window, '__claims', { get: () => { look(); return [...seen] } })
})()`
/** Times that pass, and what moves with them. */
const PASSES = /\bago\b|^\d+ (s|min|ms)$|^[\d:]+$|full|left|^—$/

/** Whatever is shown while answers arrive is still there when all have arrived. */
const slow: Day = {
  name: 'slow network',
  live: async (visits) => {
    await each(visits, async (visit) => {
      const session = await visit.page.context().newCDPSession(visit.page)
      await session.send('Network.emulateNetworkConditions', SLOW)
      await visit.page.addInitScript(WATCH_CLAIMS)
      await open(visit)
      await becomesTrue(visit)
      const final = await textOf(visit.page)
      const claims = await visit.page.evaluate<string[]>('window.__claims')
      for (const claim of claims)
        if (!final.includes(claim.replaceAll(/\s+/g, ' ')) && !PASSES.test(claim))
          visit.fail(`said “${claim}” and took it back`)
    })
  },
}

const postgresAway: Day = {
  name: 'PostgreSQL away',
  live: async (visits, world) => {
    await each(visits, openOther)
    await world.postgres.stop()
    await each(visits, goWithin)
    await each(visits, isNotLive)
    await world.postgres.start()
    await renameAll(world)
    await each(visits, becomesTrue)
    await each(visits, async (visit) => {
      if (!(await visit.page.evaluate<boolean>('window.__same === true')))
        visit.fail('the page was loaded again')
    })
  },
}

const LIMITS_PAGES = new Set(['/o/{slug}', '/o/{slug}/limits'])

const valkeyAway: Day = {
  name: 'Valkey away',
  live: async (visits, world) => {
    world.valkey.freeze()
    try {
      await each(visits, async (visit) => {
        await prepare(visit)
        if (!LIMITS_PAGES.has(visit.row.path)) return
        const isSaid = async () => !/\d left/.test(await textOf(visit.page))
        if ((await timeUntil(isSaid, SEEN_MS)) === null)
          visit.fail('shows what is left of limits that nobody can read')
      })
    } finally {
      world.valkey.thaw()
    }
    await each(visits, async (visit) => {
      await becomesTrue(visit)
      await stayed(visit)
      if (!LIMITS_PAGES.has(visit.row.path)) return
      const isBack = async () => /\d left/.test(await textOf(visit.page))
      if ((await timeUntil(isBack, SEEN_MS)) === null) visit.fail('does not show limits again')
    })
  },
}

/** Pages that say whether a model answers. */
const STATE_PAGES = new Set(['/o/{slug}', '/o/{slug}/models', '/o/{slug}/playground'])
const HEALTHY = 'All engines healthy'

async function statesBecomeTrue(visit: Visit): Promise<void> {
  const { page, row, asked, fail, count } = visit
  let seen = ''
  const isTrue = async () => {
    const path = '/organizations/{slug}/models'
    const isAvailable =
      row.as === 'operator'
        ? (await engineStates(visit)).every((state) => state === 'ready')
        : pickFrom(await askApi(asked, path), ['data', '*', 'availability', 'state']).every(
            (state) => state === 'available',
          )
    const claims = row.as === 'operator' ? HEALTHY : 'Available'
    seen = `${claims} is ${isAvailable ? 'true' : 'untrue'}`
    return (await page.getByRole('main').innerText()).includes(claims) === isAvailable
  }
  if ((await timeUntil(isTrue, SEEN_MS)) === null) fail(`does not agree with the API: ${seen}`)
  else count('compared')
}

async function engineStates({ asked }: Visit): Promise<string[]> {
  return pickFrom(await askApi(asked, '/operator/engines'), ['data', '*', 'state'])
}

const engineAway: Day = {
  name: 'engine away',
  isFor: ({ path }) => STATE_PAGES.has(path) || path === '/operator',
  live: async (visits, world) => {
    await each(visits, prepare)
    await each(visits, statesBecomeTrue)
    await world.engine.kill()
    await world.askModel()
    const first = visits.find(({ row }) => row.as === 'owner') ?? visits[0]!
    const isKnown = async () => {
      const answer = await askApi(first.asked, '/organizations/{slug}/models')
      return !pickFrom(answer, ['data', '*', 'availability', 'state']).includes('available')
    }
    if ((await timeUntil(isKnown, SEEN_MS)) === null) first.fail('the API calls it available')
    await each(visits, statesBecomeTrue)
    await world.engine.restart()
    await each(visits, statesBecomeTrue)
    await each(visits, becomesTrue)
  },
}

const sessionLost: Day = {
  name: 'session lost in a form',
  isFor: hasForm,
  live: async (visits, { web }) => {
    const { postgres } = web.environment
    await each(visits, async (visit) => {
      const { page, person, fail } = visit
      await prepare(visit)
      await endSessions(postgres.database, person.accountId)
      await page.locator('dialog[open] button[type=submit]').click()
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      if (await page.getByRole('main').isVisible()) fail('shows a page without a session')
      const as = await openSession(postgres, person.accountId)
      await signIn(page, web, { ...person, as })
      const tab = await page.context().newPage()
      await tab.goto(`${web.origin}/sign-in`)
      await tab.evaluate(`new BroadcastChannel('headrace-session').postMessage('signed-in')`)
      await page.getByRole('dialog', { name: 'Your session' }).waitFor({ state: 'detached' })
      await becomesTrue({ ...visit, asked: { ...visit.asked, person: { ...person, as } } })
      await stayed(visit)
    })
  },
}

/** The files of the version that a page belongs to are gone; its next page loads the new ones. */
const deployment: Day = {
  name: 'deployment',
  live: async (visits) => {
    await each(visits, async (visit) => {
      const { page } = visit
      await openOther(visit)
      let isOldVersion = true
      await page.route('**/*', async (route) => {
        const request = route.request()
        if (request.isNavigationRequest()) isOldVersion = false
        const isGone = isOldVersion && new URL(request.url()).pathname.startsWith('/assets/')
        await (isGone ? route.fulfill({ status: 404 }) : route.continue())
      })
      await goWithin(visit)
      await becomesTrue(visit)
    })
  },
}

/** Another tab signs out: nothing of the person is left in this one. */
const twoTabs: Day = {
  name: 'signed out in another tab',
  live: async (visits) => {
    await each(visits, async (visit) => {
      const { page, row, asked, fail } = visit
      await prepare(visit)
      const truth = await truthOf(row, asked)
      const tab = await page.context().newPage()
      await tab.goto(`${asked.origin}/account/profile`)
      await tab.locator('aside').getByTitle('@').click()
      await tab.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.waitForURL(/\/sign-in/)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      if ((await missingIn(page, truth)).length < truth.length) fail('shows what was signed out')
    })
  },
}

export const DAYS: readonly Day[] = [
  offline,
  slow,
  consoleAway,
  postgresAway,
  valkeyAway,
  engineAway,
  sessionLost,
  deployment,
  twoTabs,
]

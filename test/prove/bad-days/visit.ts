import type { Page } from 'playwright-core'
import { timeUntil } from '../../harness/figures/measure.ts'
import { pathOf, type PageRow } from '../../harness/browser/pages.ts'
import { settled } from '../../harness/browser/visit.ts'
import type { Person } from '../../harness/processes/console.ts'
import { missingIn, textOf, truthOf, type Asked } from './facts.ts'
import type { World } from './world.ts'

/** A page on a bad day. */
export type Visit = {
  readonly world: World
  readonly row: PageRow
  readonly page: Page
  readonly person: Person
  readonly asked: Asked
  readonly fail: (what: string) => void
  /** Counts what was compared. */
  readonly count: (what: 'compared' | 'kept') => void
}

const TRUE_MS = 90_000
/** Less than the minute after which a page without any call is not live by itself. */
const NOT_LIVE_MS = 40_000
const TYPED = 'typed on a bad day'

/** Pages with a form: the button that opens it. Its first field is a name or an address. */
const FORMS: Readonly<Record<string, string>> = {
  '/o/{slug}/keys': 'Create key',
  '/o/{slug}/projects': 'New project',
  '/o/{slug}/members': 'Invite',
  '/operator/organizations': 'Create organization',
}

export const hasForm = ({ path }: PageRow) => FORMS[path] !== undefined

export async function open({ world, row, page }: Visit): Promise<void> {
  await page.goto(world.web.origin + pathOf(row, world.seeded.places))
  await settled(page)
}

/** Goes to the page as a link does, without a new document. */
export async function goWithin({ world, row, page }: Visit): Promise<void> {
  const path = pathOf(row, world.seeded.places)
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
}

/** Somebody opens the form of a page and types. */
export async function typeInForm({ row, page }: Visit): Promise<void> {
  const name = FORMS[row.path]
  if (name === undefined) return
  await page.getByRole('main').getByRole('button', { name }).first().click()
  await page.locator('dialog[open] :is(input, textarea)').first().fill(TYPED)
}

/** Typed texts and the document itself are as they were: nothing was loaded again. */
export async function stayed({ row, page, fail, count }: Visit): Promise<void> {
  if (!(await page.evaluate<boolean>('window.__same === true'))) fail('the page was loaded again')
  if (!hasForm(row)) return
  if ((await textOf(page)).includes(TYPED)) count('kept')
  else fail('what was typed is lost')
}

export async function markDocument({ page }: Visit): Promise<void> {
  await page.evaluate('window.__same = true')
}

/** The page shows what the API answers, at last. */
export async function becomesTrue({ row, page, asked, fail, count }: Visit): Promise<void> {
  let missing: readonly string[] = []
  const isTrue = async () => {
    missing = await missingIn(page, await truthOf(row, asked))
    return missing.length === 0
  }
  const tookMs = await timeUntil(isTrue, TRUE_MS)
  if (tookMs === null) fail(`does not show ${missing.map((text) => text.slice(0, 40)).join(', ')}`)
  else count('compared')
}

/** A page without an answer does not claim that it is live. */
export async function isNotLive({ page, fail }: Visit): Promise<void> {
  const isOld = async () => !(await textOf(page)).includes('Live ·')
  if ((await timeUntil(isOld, NOT_LIVE_MS)) === null) fail('says that it is live')
}

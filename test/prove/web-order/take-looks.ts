import type { Page } from 'playwright-core'
import { waitUntil } from '../../harness/figures/measure.ts'

/** A way to look at a page. */
export type Way = { readonly colorScheme: 'light' | 'dark'; readonly width: 1280 | 390 }

/** What a page looks like, as PNG by the name of the way. */
export type Looks = ReadonlyMap<string, Buffer>

export const WAYS: readonly Way[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'light', width: 390 },
]

const HEIGHT = 900
const READY_MS = 60_000

/** Rendered with its fonts, and nothing is on its way any more. Nothing has the focus. */
const READY = `(() => {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  scrollTo(0, 0)
  const hasNavigation = document.getElementById('main') === null ||
    document.querySelector('aside nav a') !== null
  return document.querySelector('h1') !== null && document.fonts.status === 'loaded' &&
    hasNavigation &&
    document.querySelector('[data-shows=loading], [aria-busy="true"]') === null
})()`

export const nameOf = ({ colorScheme, width }: Way): string => `${colorScheme} ${width}`

/**
 * Screenshots of the whole page in each way. One is taken again until two in a row are equal,
 * because a chart is drawn after its page; one that is as expected needs no second.
 */
export async function takeLooks(
  page: Page,
  ways: readonly Way[],
  pending: () => number,
  expected?: Looks,
): Promise<Looks> {
  const looks = new Map<string, Buffer>()
  for (const way of ways) {
    await page.emulateMedia({ colorScheme: way.colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: way.width, height: HEIGHT })
    const isReady = async () => pending() === 0 && (await page.evaluate<boolean>(READY))
    await waitUntil(`${page.url()} to be loaded`, isReady, READY_MS)
    looks.set(nameOf(way), await takeStable(page, expected?.get(nameOf(way))))
  }
  return looks
}

async function takeStable(page: Page, expected: Buffer | undefined): Promise<Buffer> {
  const take = () => page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' })
  let last = await take()
  const isStable = async () => {
    if (expected?.equals(last)) return true
    const next = await take()
    const isSame = next.equals(last)
    last = next
    return isSame
  }
  await waitUntil(`${page.url()} to stop changing`, isStable, READY_MS)
  return last
}

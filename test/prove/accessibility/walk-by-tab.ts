import type { Page } from 'playwright-core'

/** More would mean that Tab does not come round. */
const STOPS_MAX = 400

/**
 * What can be used by pointer and is on the screen. Of radio buttons with one name, and of menus
 * and tabs, one is a stop of Tab and arrows move between the others.
 */
const MARK = `{
  const usable = 'a[href], button, input, select, textarea, summary, [tabindex], [role="slider"]'
  const shown = (each) => each.checkVisibility({ visibilityProperty: true }) &&
    each.getClientRects().length > 0
  for (const each of document.querySelectorAll(usable)) {
    const radio = each.type === 'radio' && !each.checked
    const stop = each.tabIndex >= 0 && !each.disabled && !radio && !each.closest('[inert]')
    if (stop && shown(each)) each.dataset.expected = ''
  }
  document.activeElement?.blur?.()
}`

/** Notes where the focus is: whether one sees it, and whether it was there before. */
const STEP = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return { end: true }
  const again = 'reached' in at.dataset
  at.dataset.reached = ''
  const { top, bottom, left, right } = at.getBoundingClientRect()
  const inside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  const ringed = [at, at.parentElement, at.parentElement?.parentElement].some((each) => {
    if (!each) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(each)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1
  })
  const name = at.outerHTML.slice(0, 120)
  return { end: false, again, inside, ringed, name, main: at.id === 'main' }
})()`

const LEFT_OUT = `[...document.querySelectorAll('[data-expected]:not([data-reached])')]
  .map((each) => each.outerHTML.slice(0, 120))`

const CLEAN = `for (const each of document.querySelectorAll('[data-expected], [data-reached]')) {
  delete each.dataset.expected
  delete each.dataset.reached
}`

type Step = {
  readonly end: boolean
  readonly again: boolean
  readonly inside: boolean
  readonly ringed: boolean
  readonly name: string
}

/** Presses Tab until it comes round. Everything usable must have had the focus, visibly. */
export async function walkByTab(page: Page, fail: (text: string) => void): Promise<number> {
  await page.evaluate(MARK)
  let stops = 0
  for (let presses = 0; presses < STOPS_MAX; presses += 1) {
    await page.keyboard.press('Tab')
    const step: Step = await page.evaluate(STEP)
    // The focus leaves the page between its last stop and its first. A page that gave the focus to
    // a field is walked from there, so the stops before that field come last.
    if (step.end) continue
    if (step.again) break
    stops += 1
    if (!step.inside) fail(`Tab reaches what is not on the screen: ${step.name}`)
    if (!step.ringed) fail(`the focus cannot be seen on ${step.name}`)
  }
  const missed: readonly string[] = await page.evaluate(LEFT_OUT)
  for (const each of missed) fail(`Tab does not reach ${each}`)
  await page.evaluate(CLEAN)
  return stops
}

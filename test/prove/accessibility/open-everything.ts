import type { Locator, Page } from 'playwright-core'
import { timeUntil } from '../../harness/figures/measure.ts'
import { findFindings } from './find-findings.ts'

/** A press that opens something does so with the next frames. */
const FRAMES = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))`
const PRESS_MS = 5000
const TABS_IN_DIALOG = 3

const OPEN = `document.querySelector('dialog[open]') !== null`
const AT_BROWSER = `document.activeElement === document.body`
const INSIDE = `document.activeElement === document.body ||
  document.querySelector('dialog[open]')?.contains(document.activeElement) === true`

/** Menu items are gone when their dialog closes: the focus goes back to the button of the menu. */
const MARK_OPENER = `if (!document.activeElement.closest('[role="menu"]')) {
  document.querySelector('[data-opener]')?.removeAttribute('data-opener')
  document.activeElement.setAttribute('data-opener', '')
}`
const IS_BACK = `document.activeElement?.hasAttribute('data-opener') === true`
/** Something is cut, or can only be reached by scrolling sideways. */
const TOO_WIDE = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('dialog[open]')
  return scrollWidth - clientWidth
})()`
const FOCUSED = `document.activeElement?.outerHTML.slice(0, 120)`

/** More would mean that each press makes a button with a new label. */
const LABELS_MAX = 60
const ITEMS = '[role="menu"] button[role="menuitem"]:enabled'
const BUTTONS = 'main button:not([type="submit"])'

type Opened = { dialogs: number; menus: number; views: number; disabled: number }
type Fail = (text: string) => void
type Labelled = { readonly label: string; readonly at: number; readonly disabled: boolean }

/**
 * Presses each button once and judges the dialog or menu that it opens: it must take the focus,
 * keep it, and give it back. Buttons with the same label, as in rows, count as one; those that
 * appear after a press have their turn too. A button that is disabled to the end is counted.
 */
export async function openEverything(page: Page, fail: Fail): Promise<Opened> {
  const opened: Opened = { dialogs: 0, menus: 0, views: 0, disabled: 0 }
  const start = page.url()
  const pressed = new Set<string>()
  for (;;) {
    const left = (await findButtons(page)).filter(({ label }) => !pressed.has(label))
    const next = left.find(({ disabled }) => !disabled)
    if (next === undefined) {
      opened.disabled = new Set(left.map(({ label }) => label)).size
      return opened
    }
    pressed.add(next.label)
    if (pressed.size > LABELS_MAX) {
      fail(`has more than ${LABELS_MAX} buttons with labels of their own`)
      return opened
    }
    const problem = await pressOne(page, next, fail, opened)
    if (problem !== undefined) {
      // A list that was read again meanwhile: its rows stand elsewhere, or are gone.
      const now = (await findButtons(page)).find(({ label }) => label === next.label)
      if (now?.at === next.at) fail(`"${next.label}" cannot be pressed: ${problem}`)
      else pressed.delete(next.label)
    }
    if (page.url() !== start) {
      await page.goto(start)
      await page.locator('h1').waitFor()
      await page.evaluate(FRAMES)
    }
  }
}

/** Returns why the button could not be pressed. */
async function pressOne(
  page: Page,
  { label, at }: Labelled,
  fail: Fail,
  opened: Opened,
): Promise<string | undefined> {
  const button = page.locator(BUTTONS).nth(at)
  const problem = await press(page, button)
  if (problem !== undefined) return problem
  if (await page.evaluate(OPEN)) await judgeDialog(page, label, fail, opened)
  else if ((await page.locator('[role="menu"]').count()) > 0)
    await judgeMenu(page, button, label, fail, opened)
  return undefined
}

/** The buttons that one sees, each with its label and its place among all of them. */
async function findButtons(page: Page): Promise<readonly Labelled[]> {
  const all: readonly Labelled[] = await page.evaluate(`
    [...document.querySelectorAll(${JSON.stringify(BUTTONS)})].map((each, at) => {
      const kind = each.getAttribute('aria-haspopup') ?? ''
      // "Admit ann@example.com" is the "Admit" of another row.
      const label = each.textContent.trim() || (each.getAttribute('aria-label') ?? '')
      const shown = each.checkVisibility({ visibilityProperty: true })
      return { label: shown ? (kind + ' ' + label).trim() : '', at, disabled: each.disabled }
    })`)
  return all.filter(({ label }) => label !== '')
}

async function press(page: Page, target: Locator): Promise<string | undefined> {
  try {
    await target.focus({ timeout: PRESS_MS })
    await page.evaluate(MARK_OPENER)
    await page.keyboard.press('Enter')
    await page.evaluate(FRAMES)
    return undefined
  } catch (error) {
    return (error as Error).message.split('\n')[0]
  }
}

async function judgeDialog(page: Page, label: string, fail: Fail, opened: Opened): Promise<void> {
  const what = `the dialog of "${label}"`
  opened.dialogs += 1
  opened.views += await findFindings(page, what, fail, 'dialog[open]')
  const over = await page.evaluate<number>(TOO_WIDE)
  if (over > 0) fail(`${what} is ${over} px narrower than what is in it`)
  for (let count = 0; count < TABS_IN_DIALOG; count += 1) {
    if (!(await page.evaluate(INSIDE))) fail(`${what} does not keep the focus`)
    await page.keyboard.press('Tab')
  }
  // Behind its last element Tab leaves for the browser, which answers in its own time.
  if (await page.evaluate(AT_BROWSER)) await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await page.evaluate(FRAMES)
  if (await page.evaluate(OPEN)) {
    fail(`${what} stays open after Escape`)
    return
  }
  await expectFocusBack(page, what, fail)
}

async function expectFocusBack(page: Page, what: string, fail: Fail): Promise<void> {
  const backMs = await timeUntil(async () => page.evaluate<boolean>(IS_BACK), PRESS_MS)
  if (backMs !== null) return
  fail(`${what} does not give the focus back: ${await page.evaluate<string>(FOCUSED)}`)
}

async function judgeMenu(
  page: Page,
  opener: Locator,
  label: string,
  fail: Fail,
  opened: Opened,
): Promise<void> {
  const what = `the menu of "${label}"`
  opened.menus += 1
  opened.views += await findFindings(page, what, fail, '[role="menu"]')
  const items = await page.locator(ITEMS).allTextContents()
  await page.keyboard.press('Escape')
  await page.evaluate(FRAMES)
  if ((await page.locator('[role="menu"]').count()) > 0) fail(`${what} stays open after Escape`)
  else await expectFocusBack(page, what, fail)
  for (const [at, text] of items.entries()) {
    const item = page.locator(ITEMS).nth(at)
    const problem = (await press(page, opener)) ?? (await press(page, item))
    if (problem !== undefined) {
      if (await item.isVisible()) fail(`"${text}" of ${what} cannot be pressed: ${problem}`)
      continue
    }
    if (await page.evaluate(OPEN)) await judgeDialog(page, `${label}, ${text}`, fail, opened)
  }
}

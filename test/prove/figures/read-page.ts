import type { Page } from 'playwright-core'

/** A cell as the page shows it: its exact value and its text. */
export type Cell = { readonly value: string; readonly text: string }

export type ShownTable = {
  /** The names of the columns by colour, in order. */
  readonly parts: readonly string[]
  readonly rows: ReadonlyMap<
    string,
    { readonly measures: Readonly<Record<string, Cell>>; readonly parts: readonly Cell[] }
  >
  /** The figures above the chart: cost, requests, input, output. */
  readonly stats: readonly Cell[]
}

// Texts, because the type checker does not know the browser's globals.
const READ_USAGE = `(() => {
  const cell = (element) => ({ value: element.dataset.value, text: element.textContent.trim() })
  const rows = [...document.querySelectorAll('[data-shows=usage] tbody tr')].map((row) => [
    row.dataset.row,
    {
      measures: Object.fromEntries(
        [...row.querySelectorAll('[data-measure]')]
          .map((each) => [each.dataset.measure, cell(each)]),
      ),
      parts: [...row.querySelectorAll('[data-part]')].map(cell),
    },
  ])
  const parts = [...document.querySelectorAll('[data-shows=usage] thead [data-shows=band]')]
  const stats = [...document.querySelectorAll('[data-shows=stats] [data-value]')]
  return { rows, parts: parts.map((each) => each.textContent), stats: stats.map(cell) }
})()`

/** Opens usage at an address and reads everything it shows, once all of it is there. */
export async function readUsagePage(page: Page, address: string): Promise<ShownTable> {
  await page.goto(address)
  await page.locator('[data-shows=bars] [role=img]').waitFor()
  await page.locator('[data-shows=usage] tr[data-row=sum]').waitFor()
  const { rows, ...shown } = await page.evaluate<{
    readonly rows: [string, { measures: Record<string, Cell>; parts: Cell[] }][]
    readonly parts: string[]
    readonly stats: Cell[]
  }>(READ_USAGE)
  return { ...shown, rows: new Map(rows) }
}

export type ShownRequest = { readonly id: string; readonly values: readonly string[] }

const ROWS = 'tbody tr[data-row]'
const READ_REQUESTS = `[...document.querySelectorAll('${ROWS}')].map((row) => ({
  id: row.dataset.row,
  values: [...row.querySelectorAll('[data-value]')].map((each) => each.dataset.value),
}))`

/** Opens the list of requests and shows more until there is no more. */
export async function readRequestsPage(page: Page, address: string): Promise<ShownRequest[]> {
  await page.goto(address)
  await page.locator('tbody tr[data-row]').first().waitFor()
  const more = page.locator('[data-shows=more] button')
  for (;;) {
    // While a page is being read the button is busy: pressing it again does nothing.
    await page.locator('[data-shows=more] button[aria-busy]').waitFor({ state: 'detached' })
    if ((await more.count()) === 0) return page.evaluate<ShownRequest[]>(READ_REQUESTS)
    const before = await page.locator('tbody tr[data-row]').count()
    await more.click()
    await page.locator('tbody tr[data-row]').nth(before).waitFor()
  }
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The themes have the same elements in other colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

type Finding = { readonly id: string; readonly help: string; readonly targets: readonly string[] }

/**
 * All rules in light, those about colours in dark. `within` is what is new on the screen: the page
 * behind a dialog was judged before. Returns how many views were judged.
 */
export async function findFindings(
  page: Page,
  what: string,
  fail: (text: string) => void,
  within = 'html',
): Promise<number> {
  // Evaluated through the debugger, because the page's policy forbids foreign scripts.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
  report(await judge(page, within, { type: 'tag', values: TAGS }), `${what}, light`, fail)
  await page.emulateMedia({ colorScheme: 'dark' })
  const colours = { type: 'rule', values: RULES_OF_COLOURS }
  report(await judge(page, within, colours), `${what}, dark`, fail)
  await page.emulateMedia({ colorScheme: 'light' })
  return 2
}

async function judge(page: Page, within: string, runOnly: object): Promise<readonly Finding[]> {
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  return page.evaluate(`axe.run(${JSON.stringify(within)}, ${options}).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => ({
      id, help, targets: nodes.slice(0, 3).map((node) => node.target.join(' ')),
    })))`)
}

function report(findings: readonly Finding[], what: string, fail: (text: string) => void): void {
  for (const { id, help, targets } of findings)
    fail(`${what}: ${id} (${help}): ${targets.join(' | ')}`)
}

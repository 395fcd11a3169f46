import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds in a page: the rule and where. Evaluated, because the policy blocks scripts. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE)
  return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then((found) =>
    found.violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map((node) => node.target.join(' ')).join(', ')))`)
}

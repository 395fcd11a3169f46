// The documentation site has no dead link, calls nobody, and is served by the console at /docs.
// covers: site/** docs/** src/platform/web/read-docs.ts src/platform/web/console-handler.ts
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { findViolations } from '../harness/browser/axe.ts'
import { watchPage } from '../harness/browser/visit.ts'
import { openWeb } from '../harness/browser/web.ts'
import { NotPossibleHere, runProof, type ProofRun } from '../harness/proof.ts'
import { findDeadLinks } from './site/find-dead-links.ts'
import { findFlaws } from './site/find-flaws.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const DIST = join(ROOT, 'site/dist')
/** A processor that others use counts more, so CI reports it without judging. */
const CPU_SECONDS_MAX = 60
const VISITED = ['', 'start/operator.html', 'console.html', 'reference/management/keys.html']
const WIDTHS = [390, 1440]

await runProof('site', prove, { keep: { type: 'string' } })

async function prove(run: ProofRun) {
  if (!existsSync(join(ROOT, 'site/node_modules/vitepress')))
    throw new NotPossibleHere('the site is not installed: run npm ci --prefix site')
  const cpu = build()
  if (cpu > CPU_SECONDS_MAX && !run.short) run.fail(`the build takes ${cpu} s of CPU`)
  const { pages, links, dead } = findDeadLinks(DIST, '/docs/')
  for (const link of dead) run.fail(`dead: ${link}`)
  for (const flaw of findFlaws(DIST)) run.fail(flaw)
  await using web = await openWeb({ console: { docs: DIST } })
  let views = 0
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await web.openPage({ colorScheme })
    const watched = await watchPage(page, [web.origin])
    for (const path of VISITED)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await checkPage(page, `${web.origin}/docs/${path}`, run)
        await keep(page, run.values['keep'], `${path}-${width}-${colorScheme}`)
        views += 1
      }
    await search(page)
    await keep(page, run.values['keep'], `search-${colorScheme}`)
    for (const what of [...watched.violations, ...watched.errors, ...watched.foreign])
      run.fail(`${colorScheme}: ${what}`)
    await page.context().close()
  }
  return { pages, links, dead: dead.length, views, build_cpu_s: cpu }
}

/** Seconds of CPU of the build with all its processes, as the shell counts them. */
function build(): number {
  const command = `"${process.execPath}" site/build.ts >&2 && times`
  const output = execFileSync('sh', ['-c', command], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [, children = ''] = output.trim().split('\n')
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return Math.round(seconds.reduce((sum, each) => sum + each, 0))
}

async function checkPage(page: Page, address: string, run: ProofRun): Promise<void> {
  const response = await page.goto(address)
  if (response?.status() !== 200) run.fail(`${address}: ${response?.status()}`)
  // The switch gets its title when the scripts of the page run.
  await page.locator('[role=switch][title^=Switch]').first().waitFor({ state: 'attached' })
  const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  if (await page.evaluate<boolean>(isWider)) run.fail(`${address}: scrolls sideways`)
  for (const violation of await findViolations(page)) run.fail(`${address}: ${violation}`)
}

/** A word that only the text of pages has, typed as a reader would. */
async function search(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  const box = page.getByRole('searchbox')
  await box.fill('x-ignored-parameters')
  const found = page.locator('#localsearch-list').getByRole('option').first()
  await found.waitFor()
  await found.click()
  await page.waitForURL(/\/docs\/.+\.html#/)
  await page.locator('main').getByText('x-ignored-parameters').first().waitFor()
}

/** Keeps pictures for somebody who looks at them. */
async function keep(page: Page, folder: string | undefined, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.png`) })
}

import lighthouse, { desktopConfig } from 'lighthouse'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../harness/browser/browser.ts'
import { findFreePort } from '../../harness/processes/console-process.ts'
import { openKey, openOrganization } from '../../harness/seed/tenants.ts'
import type { Web } from '../../harness/browser/web.ts'

export type Score = {
  readonly path: string
  readonly performance: number
  readonly accessibility: number
  readonly practices: number
}

/** Performance is judged by the best run: what disturbs a run makes it only worse. */
const RUNS = 3
const CATEGORIES = ['performance', 'accessibility', 'best-practices']

/** Lighthouse for desktops on the sign-in page and the list of keys. */
export async function runLighthouse(web: Web): Promise<Score[]> {
  const { database } = web.environment.postgres
  const { id, projectId } = await openOrganization(database, 'ample')
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  for (let made = 0; made < 10; made += 1) await openKey(database, projectId)
  const port = await findFreePort()
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  })
  try {
    const cookie = { cookie: owner.as['cookie'] ?? '' }
    return [
      await judge(port, web.origin, '/sign-in', {}),
      await judge(port, web.origin, `/o/${await slugOf(web, id)}/keys`, cookie),
    ]
  } finally {
    await browser.close()
  }
}

async function slugOf(web: Web, id: string): Promise<string> {
  const { slug } = await web.environment.postgres.database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return slug
}

async function judge(
  port: number,
  origin: string,
  path: string,
  extraHeaders: Record<string, string>,
): Promise<Score> {
  const scores: Score[] = []
  for (let count = 0; count < RUNS; count += 1) {
    const flags = { port, extraHeaders, onlyCategories: CATEGORIES, logLevel: 'error' } as const
    const result = await lighthouse(origin + path, { ...flags }, desktopConfig)
    const of = (name: string) => Math.round((result?.lhr.categories[name]?.score ?? 0) * 100)
    const practices = of('best-practices')
    scores.push({
      path,
      performance: of('performance'),
      accessibility: of('accessibility'),
      practices,
    })
  }
  return {
    path,
    performance: Math.max(...scores.map(({ performance }) => performance)),
    accessibility: Math.min(...scores.map(({ accessibility }) => accessibility)),
    practices: Math.min(...scores.map(({ practices }) => practices)),
  }
}

import { ask } from '../../harness/processes/console.ts'
import { PAGES, pathOf, type Visitor } from '../../harness/browser/pages.ts'
import type { ProofRun } from '../../harness/proof.ts'
import type { SeededPages } from '../../harness/seed/seed-pages.ts'
import { visit, watchPage } from '../../harness/browser/visit.ts'
import { signIn, type Web } from '../../harness/browser/web.ts'
import { findActive } from './find-active.ts'
import { VECTORS } from './vectors.ts'

export type Walk = { readonly pages: number; readonly shown: number }

/** Lists that show the names of what was seeded, each with every vector. */
const LISTS = ['/o/{slug}/keys', '/o/{slug}/projects', '/o/{slug}/members']

/** Visits every page with hostile names all over it. */
export async function walkPages(run: ProofRun, web: Web, seeded: SeededPages): Promise<Walk> {
  const byVisitor = Map.groupBy(PAGES, ({ as }) => as)
  let shown = 0
  let turn = 0
  for (const [visitor, rows] of byVisitor) {
    const { page, watched } = await openAs(web, seeded, visitor)
    for (const row of rows) {
      // The organization's name is in the frame of every page: each page gets another one.
      await renameOrganization(web, seeded, VECTORS[(turn += 1) % VECTORS.length]!.text)
      const opened = await visit(page, `${web.origin}${pathOf(row, seeded)}`).catch(String)
      if (opened !== undefined) run.fail(`${row.path}: ${opened}`)
      for (const what of await findActive(page)) run.fail(`${row.path}: active ${what}`)
      if (!LISTS.includes(row.path)) continue
      const text = await page.locator('body').innerText()
      const missing = VECTORS.filter(({ mark }) => !text.includes(mark))
      shown += VECTORS.length - missing.length
      if (missing.length > 0) run.fail(`${row.path} does not show ${missing.length} of the names`)
    }
    for (const [kind, found] of Object.entries(watched))
      for (const what of found) run.fail(`as ${visitor}: ${kind}: ${what}`)
    await page.context().close()
  }
  return { pages: PAGES.length, shown }
}

export async function openAs(web: Web, seeded: SeededPages, visitor: Visitor) {
  const page = await web.openPage()
  const watched = await watchPage(page, [web.origin, new URL(web.apiRoot).origin])
  const person = seeded.visitors[visitor]
  if (person !== null) await signIn(page, web, person)
  return { page, watched }
}

/** Through the API, so that the audit log has the names too. */
async function renameOrganization(web: Web, seeded: SeededPages, name: string): Promise<void> {
  const root = `${web.origin}/management/v1`
  const path = `/organizations/${seeded.organizationId}`
  const as = { ...seeded.visitors.owner!.as, origin: web.origin }
  const { status, text } = await ask(root, 'PATCH', path, { as, body: { name } })
  if (status !== 200) throw new Error(`renaming the organization failed: ${text}`)
}

import type { ProofRun } from '../../harness/proof.ts'
import type { SeededPages } from '../../harness/seed/seed-pages.ts'
import type { Web } from '../../harness/browser/web.ts'
import { findActive } from './find-active.ts'
import { VECTORS } from './vectors.ts'
import { openAs } from './walk-pages.ts'

/** Every vector as the message of an error. Ours quote nothing, but a proxy's could. */
export async function showErrors(run: ProofRun, web: Web, seeded: SeededPages): Promise<number> {
  const { page, watched } = await openAs(web, seeded, 'owner')
  let message = ''
  await page.route(/\/management\/v1\/organizations\/[^/]+\/keys\b/, (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/json',
      headers: { 'x-request-id': crypto.randomUUID() },
      body: JSON.stringify({ error: { code: 'invalid_value', message, param: null, type: 'x' } }),
    }),
  )
  await page.goto(`${web.origin}/o/${seeded.slug}/keys`)
  let shown = 0
  for (const { text, mark } of VECTORS) {
    // The organization's name may be the same vector.
    message = `error ${text}`
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByText(`error ${mark}`).first().waitFor()
    shown += 1
    for (const what of await findActive(page)) run.fail(`error text ${text}: active ${what}`)
  }
  for (const [kind, found] of Object.entries(watched))
    for (const what of found) run.fail(`error texts: ${kind}: ${what}`)
  await page.context().close()
  return shown
}

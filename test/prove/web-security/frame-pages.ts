import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PAGES, pathOf } from '../../harness/browser/pages.ts'
import type { ProofRun } from '../../harness/proof.ts'
import type { SeededPages } from '../../harness/seed/seed-pages.ts'
import { signIn, type Web } from '../../harness/browser/web.ts'

/** Browsers put this in place of a page that may not be framed. */
const REFUSED = 'chrome-error://chromewebdata/'

/** A page of another port of the same host, so that cookies are sent, frames every page. */
export async function framePages(run: ProofRun, web: Web, seeded: SeededPages): Promise<number> {
  const paths = [...PAGES.map((row) => pathOf(row, seeded)), '/management/v1/me']
  const frames = paths.map((path) => `<iframe src="${web.origin}${path}"></iframe>`).join('')
  const attacker = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>x</title>${frames}`)
  })
  attacker.listen(0, '127.0.0.1')
  await once(attacker, 'listening')
  const { port } = attacker.address() as AddressInfo
  const page = await web.openPage()
  await signIn(page, web, seeded.visitors.operator!)
  await page.goto(`http://localhost:${port}/`, { waitUntil: 'load' })
  const shown = page.frames().slice(1)
  for (const frame of shown)
    if (frame.url() !== REFUSED) run.fail(`framed by another origin: ${frame.url()}`)
  if (shown.length !== paths.length) run.fail(`only ${shown.length} frames were made`)
  await page.context().close()
  attacker.closeAllConnections()
  attacker.close()
  return shown.length
}

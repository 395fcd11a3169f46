import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { TestBrowser } from '../../harness/browser/browser.ts'
import { startConsole } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { watchPage } from '../../harness/browser/visit.ts'
import { FIND_ACTIVE } from './find-active.ts'
import { DOCUMENTS, randomDocuments } from './vectors.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const COMPONENT = join(ROOT, 'web/src/pages/playground/markdown.tsx')

/** A page with nothing but the component that shows what models write. */
const PROBE = `
import { createElement } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { Markdown } from ${JSON.stringify(COMPONENT)}
const root = createRoot(document.getElementById('root'))
let turn = 0
globalThis.begin = () => void (turn += 1)
globalThis.show = (text, ended) =>
  flushSync(() => root.render(createElement(Markdown, { key: turn, text, ended })))
`
const PAGE = `<!doctype html><html lang="en"><head><title>Probe</title></head>
<body><h1>Probe</h1><div id="root"></div>
<script type="module" src="./probe.js"></script></body></html>`

export type ModelOutput = { readonly documents: number; readonly fuzzed: number }

/** The real component under the real policy: every vector, whole and as it streams in. */
export async function showModelOutput(
  run: ProofRun,
  browser: TestBrowser,
  count: number,
): Promise<ModelOutput> {
  using probe = await buildProbe()
  await using console_ = await startConsole((config) => config, probe.folder)
  const { origin } = new URL(console_.root)
  const page = await browser.openStrictPage()
  const watched = await watchPage(page, [origin])
  await page.goto(origin)
  await page.locator('#root').waitFor({ state: 'attached' })
  await tryDocuments(run, page, DOCUMENTS, true)
  const random = randomDocuments(run.seed, count)
  await tryDocuments(run, page, random, false)
  for (const [kind, found] of Object.entries(watched))
    for (const what of found) run.fail(`model output: ${kind}: ${what}`)
  await page.context().close()
  return { documents: DOCUMENTS.length, fuzzed: random.length }
}

async function tryDocuments(
  run: ProofRun,
  page: Page,
  documents: readonly string[],
  streamed: boolean,
): Promise<void> {
  // All in one call: thousands of round trips would take most of the time.
  const script = `(async () => {
    const found = []
    for (const text of ${JSON.stringify(documents)}) {
      begin()
      for (let end = 1; ${streamed} && end < text.length; end += 1) {
        show(text.slice(0, end), false)
        found.push(...${FIND_ACTIVE}.map((what) => what + ' while ' + text.slice(0, end)))
      }
      show(text, true)
      found.push(...${FIND_ACTIVE}.map((what) => what + ' in ' + text))
      // The console's own button that copies a block of code has an icon.
      if (document.querySelector('#root img, #root form, #root svg:not(.code-copy svg)') !== null)
        found.push('an element of ' + text)
      // Markup alone, such as '#', has no text; a component that failed has no element either.
      if (text.trim() !== '' && document.getElementById('root').childElementCount === 0)
        found.push('nothing is shown of ' + JSON.stringify(text))
    }
    // What a document begins to load, it begins by then.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return found
  })()`
  for (const what of await page.evaluate<string[]>(script)) run.fail(`model output: ${what}`)
}

async function buildProbe(): Promise<Disposable & { readonly folder: string }> {
  // Within the checkout, so that its packages are found.
  mkdirSync(join(ROOT, '.stack'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, '.stack/probe-'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'probe.js'), PROBE)
  const config = join(ROOT, 'web/vite.config.ts')
  const vite = join(ROOT, 'node_modules/.bin/vite')
  await promisify(execFile)(vite, ['build', folder, '--config', config, '--logLevel', 'warn'])
  return {
    folder: join(folder, 'dist'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

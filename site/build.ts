// Builds the documentation as a web site in site/dist/: see README.md.
//   npm run site                 below /docs/, as `headrace console` serves it
//   npm run site -- --base /     at the root of a host
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { describe } from './describe.ts'
import { writeReference } from './reference/write-reference.ts'
import { sidebarsOf } from './sidebar.ts'
import { listPages, pictureOf, readSource, rewriteLinks, ROOT, writeLlms } from './source-pages.ts'
import { writeHome } from './write-home.ts'

const SITE = import.meta.dirname
/** Written here before VitePress reads it; nothing of it is edited. */
const PAGES = join(SITE, '.pages')
const OUT = join(SITE, 'dist')
const VITEPRESS = join(SITE, 'node_modules/vitepress/bin/vitepress.js')

const { values } = parseArgs({ options: { base: { type: 'string', default: '/docs/' } } })

if (!existsSync(VITEPRESS))
  throw new Error('the packages of the site are not installed: run npm ci --prefix site')
for (const folder of [PAGES, OUT]) rmSync(folder, { recursive: true, force: true })
writePages()
execFileSync(process.execPath, [VITEPRESS, 'build', SITE, '--base', values.base], {
  cwd: SITE,
  stdio: ['ignore', 'ignore', 'inherit'],
})

function writePages(): void {
  const pages = listPages()
  const pictures = new Set<string>()
  for (const [source, place] of pages) {
    const text = rewriteLinks(source, pages, pictures)
    write(place, source === 'README.md' ? writeHome(text) : describe(text))
  }
  for (const path of pictures) cpSync(join(ROOT, path), join(PAGES, pictureOf(path)))
  write('public/favicon.svg', readSource('web/src/logo.svg'))
  const reference = writeReference()
  for (const [place, text] of reference.pages) write(place, describe(text))
  for (const name of ['api.json', 'management.json'])
    write(`public/openapi/${name}`, readSource(`openapi/${name}`))
  write('public/llms.txt', writeLlms(pages))
  write('sidebar.json', JSON.stringify(sidebarsOf(pages, reference.sidebar)))
}

function write(place: string, text: string): void {
  const path = join(PAGES, place)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

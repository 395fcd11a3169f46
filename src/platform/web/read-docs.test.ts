import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readDocs } from './read-docs.ts'

const SCRIPT = 'document.documentElement.classList.add("dark")'
const PAGE = `<script id="theme">${SCRIPT}</script><script type="module" src="/docs/assets/a.js">
</script><a href="/docs/start/api.html">text about x/docs/y</a>`
const folder = mkdtempSync(join(tmpdir(), 'headrace-docs-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), PAGE)
writeFileSync(join(folder, 'assets/tour.webp'), 'RIFF')
writeFileSync(join(folder, 'assets/a.js'), 'import("/docs/assets/b.js")')
after(() => rmSync(folder, { recursive: true }))

test('the documentation moves below the prefix of the console, and no other text changes', () => {
  const file = readDocs(folder, '/llm').byPath.get('/docs/index.html')
  const page = file?.bodies.get('identity')?.toString() ?? ''
  assert.ok(page.includes('src="/llm/docs/assets/a.js"'))
  assert.ok(page.includes('href="/llm/docs/start/api.html"'))
  assert.ok(page.includes('text about x/docs/y'))
  assert.equal(gunzipSync(file!.bodies.get('gzip')!).toString(), page)
})

test('only files whose name tells their content are kept by browsers for a year', () => {
  const isKept = (prefix: string, path: string) => readDocs(folder, prefix).byPath.get(path)
  assert.equal(isKept('', '/docs/assets/a.js')?.immutable, true)
  assert.equal(isKept('', '/docs/index.html')?.immutable, false)
  assert.equal(isKept('/llm', '/docs/assets/a.js')?.immutable, false)
})

test('its pages run the scripts that they contain, and call nothing', () => {
  const { policy } = readDocs(folder, '')
  const hash = createHash('sha256').update(SCRIPT).digest('base64')
  assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}';`), policy)
  assert.ok(policy.includes("connect-src 'none'"))
})

test('an animation of the documentation is served as a picture', () => {
  assert.equal(readDocs(folder, '').byPath.get('/docs/assets/tour.webp')?.type, 'image/webp')
})

test('a folder without a site is an error that names the setting', () => {
  assert.throws(() => readDocs(join(folder, 'assets'), ''), /console\.docs.*index\.html/)
})

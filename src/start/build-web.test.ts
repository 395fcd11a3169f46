import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isOlder } from './build-web.ts'

const web = mkdtempSync(join(tmpdir(), 'headrace-web-'))
const SOURCE = join(web, 'src/pages/page.tsx')
const INDEX = join(web, 'dist/index.html')

after(() => rmSync(web, { recursive: true }))

function setAges(seconds: Readonly<Record<string, number>>) {
  const now = Date.now() / 1000
  for (const [path, age] of Object.entries(seconds)) utimesSync(path, now - age, now - age)
}

test('the web app is built when there is no build, or one older than a source', () => {
  mkdirSync(join(web, 'src/pages'), { recursive: true })
  writeFileSync(SOURCE, '')
  assert.equal(isOlder(web), true)
  mkdirSync(join(web, 'dist'))
  writeFileSync(INDEX, '')
  setAges({ [INDEX]: 10, [SOURCE]: 20, [join(web, 'src')]: 20, [join(web, 'src/pages')]: 20 })
  assert.equal(isOlder(web), false)
  setAges({ [SOURCE]: 5 })
  assert.equal(isOlder(web), true)
})

test('a removed source counts as well', () => {
  setAges({ [INDEX]: 10, [SOURCE]: 20, [join(web, 'src/pages')]: 5 })
  assert.equal(isOlder(web), true)
})

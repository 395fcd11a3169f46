import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { checkVersion } from './check-version.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headrace-version-'))
  write('package.json', '{"version":"1.2.3"}')
  write('web/package.json', '{"version":"1.2.3"}')
  write('deploy/chart/headrace/Chart.yaml', "version: 1.2.3\nappVersion: '1.2.3'\n")
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('a release has the version on which tag, manifests and chart agree', () => {
  assert.equal(checkVersion(root, 'v1.2.3'), '1.2.3')
  assert.equal(checkVersion(root, undefined), '1.2.3')
})

test('a tag of another version is refused', () => {
  assert.throws(() => checkVersion(root, 'v1.2.4'), /the tag is 1\.2\.4/)
})

test('a chart of another version is refused', () => {
  write('deploy/chart/headrace/Chart.yaml', 'version: 1.2.3\nappVersion: 1.2.2\n')
  assert.throws(() => checkVersion(root, 'v1.2.3'), /appVersion of the chart is 1\.2\.2/)
})

test('a web app of another version is refused', () => {
  write('web/package.json', '{"version":"1.2.2"}')
  assert.throws(() => checkVersion(root, 'v1.2.3'), /web\/package\.json is 1\.2\.2/)
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')
const SCRIPT = resolve(ROOT, '.github/release-notes.sh')

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.1.0] - 2031-02-01

### Added

- Newer.

## [1.1.0-rc.1] - 2031-01-01

- Candidate.

## [1.0.0] - 2030-01-01

- Oldest.

[1.1.0]: https://example.com/1.1.0
`

function notesOf(version: string): { code: number | null; output: string } {
  const { status, stdout } = spawnSync(SCRIPT, [version, '/dev/stdin'], {
    input: CHANGELOG,
    encoding: 'utf8',
  })
  return { code: status, output: stdout }
}

test('the notes of a version are its section, without the blank lines around it', () => {
  assert.deepEqual(notesOf('1.1.0'), { code: 0, output: '### Added\n\n- Newer.\n' })
  assert.deepEqual(notesOf('1.1.0-rc.1'), { code: 0, output: '- Candidate.\n' })
})

test('link definitions at the end of the file are not notes', () => {
  assert.deepEqual(notesOf('1.0.0'), { code: 0, output: '- Oldest.\n' })
})

test('a version without a section, or with an empty one, is an error', () => {
  for (const version of ['2.0.0', '1.1', 'Unreleased']) {
    assert.deepEqual(notesOf(version), { code: 1, output: '' }, version)
  }
})

test('README, FAQ and changelog agree on whether there was a release', () => {
  const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')
  const hasRelease = /^## \[\d/m.test(read('CHANGELOG.md'))
  for (const path of ['README.md', 'docs/faq.md'])
    assert.equal(read(path).includes('before its first release'), !hasRelease, path)
})

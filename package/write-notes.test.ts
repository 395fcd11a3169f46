import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { shorten, writeNotes } from './write-notes.ts'

test('the notes of a release are the summary of its section, with the way to all changes', () => {
  const short = shorten('The first.\n\n- One.\n\n### API\n\n- Two.\n')
  assert.equal(short, 'The first.\n\n- One.\n\nEvery change is in [CHANGELOG.md](CHANGELOG.md).')
})

test('a section without a summary, or without headings, is its notes', () => {
  assert.equal(shorten('### Added\n\n- One.'), '### Added\n\n- One.')
  assert.equal(shorten('- One.'), '- One.')
})

test('the notes of the next release are short enough to be read', () => {
  const root = resolve(import.meta.dirname, '..')
  const notes = writeNotes({ root, version: '0.1.0', isDryRun: true })
  assert.ok(notes.startsWith('The first release'))
  assert.ok(notes.split(/^## Upgrade$/m)[0]!.length < 3_000, `${notes.length}`)
})

test('a version that the changelog does not have is not released', () => {
  const root = resolve(import.meta.dirname, '..')
  assert.throws(
    () => writeNotes({ root, version: '0.0.0', isDryRun: false }),
    /has no notes for 0\.0\.0/,
  )
})

test('links of the notes lead to the files of the tag', () => {
  const root = resolve(import.meta.dirname, '..')
  const notes = writeNotes({ root, version: '0.1.0', isDryRun: true })
  const links = [...notes.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  assert.ok(links.length > 2)
  assert.deepEqual(
    links.filter((link) => !link.startsWith('REPOSITORY_URL/blob/v0.1.0/')),
    [],
  )
})

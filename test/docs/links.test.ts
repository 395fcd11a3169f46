// Links, anchors and paths of pages lead somewhere, wherever a file names them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GROUPS } from '../../src/cli/doctor/run-checks.ts'
import { findBrokenLinks, findBrokenMentions, readPages, targetExists } from './pages.ts'

const PAGES = readPages('*.md', '.github/*.yml', '.github/*.yaml')
/** Files that name pages in comments or print them. The CLI's own tests quote what it prints. */
const SOURCES = readPages('src/*.ts', 'package/*.ts', 'web/src/*.ts', 'web/src/*.tsx')
const SETTINGS = readPages('*.yaml', '*.yml', '*.env', '.env.example', '*.service', '*.sql')

describe('links', () => {
  for (const page of PAGES) {
    test(`of ${page.path} lead to a file and a heading that exist`, () => {
      assert.deepEqual(findBrokenLinks(page), [])
    })
  }

  test('that sources, settings, units and alert rules name exist', () => {
    const broken = [...SOURCES, ...SETTINGS].flatMap((page) =>
      findBrokenMentions(page).map((mention) => `${page.path}: ${mention}`),
    )
    assert.deepEqual(broken, [])
  })

  test('that doctor prints have a heading for every group of checks', () => {
    const missing = GROUPS.filter(
      (group) => !targetExists(`docs/operating/diagnosis.md#${group.replaceAll(' ', '-')}`),
    )
    assert.deepEqual(missing, [])
  })

  test('to a missing file or heading are found', () => {
    const text = 'A [file](missing.md), a [heading](README.md#none), [here](#none), [ok](README.md)'
    assert.deepEqual(findBrokenLinks({ path: 'docs/x.md', text }), [
      'missing.md',
      'README.md#none',
      '#none',
    ])
    const form = '[Operating](../blob/main/docs/operating.md), [ok](../blob/main/SECURITY.md)'
    assert.deepEqual(findBrokenLinks({ path: '.github/x.yml', text: form }), [
      '../blob/main/docs/operating.md',
    ])
    const rule = 'runbook_url: docs/operating/runbook.md#headracenone'
    assert.deepEqual(findBrokenMentions({ path: 'x.yaml', text: rule }), [
      'docs/operating/runbook.md#headracenone',
    ])
  })
})

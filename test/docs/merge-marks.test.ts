import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPages, type Page } from './pages.ts'

/** What git writes, and what a formatter of Markdown makes of it. */
const MARKS = /^\s*(?:<<<<<<<|\|\|\|\|\|\|\||\\?=======|>>>>>>>|(?:> ){6}>)(?: |$)/m

const findMarks = (pages: readonly Page[]) =>
  pages.filter(({ text }) => MARKS.test(text)).map(({ path }) => path)

test('no page has marks of an unfinished merge', () => {
  assert.deepEqual(findMarks(readPages('*.md', '*.yaml', '*.yml', '*.json', '*.env')), [])
})

test('a page with such marks is found, also after it was formatted', () => {
  const text = (line: string) => ({ path: line, text: `- One.\n  ${line}\n\nTwo.\n` })
  const lines = ['<<<<<<< HEAD', '\\=======', '> > > > > > > 053b8ca (Say it)']
  assert.deepEqual(findMarks(lines.map(text)), lines)
  assert.deepEqual(findMarks([text('> A quotation'), text('======== not seven')]), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeIndex } from './write-index.ts'

const BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="headrace-base" content="">
<link rel="icon" href="./favicon.svg">
<script type="module" crossorigin src="./assets/a-1.js"></script>
<link rel="modulepreload" crossorigin href="/assets/b-2.js"></head>
<body><a href="//elsewhere.example/">x</a><a href="https://elsewhere.example/">y</a></body></html>`

test('links of the build are absolute, below the prefix', () => {
  const page = writeIndex(BUILT, { prefix: '/llm', apiUrl: '' })
  assert.match(page, /href="\/llm\/favicon\.svg"/)
  assert.match(page, /src="\/llm\/assets\/a-1\.js"/)
  assert.match(page, /href="\/llm\/assets\/b-2\.js"/)
  assert.match(page, /href="\/\/elsewhere\.example\/"/)
  assert.match(page, /href="https:\/\/elsewhere\.example\/"/)
})

test('without a prefix they begin with one slash', () => {
  const page = writeIndex(BUILT, { prefix: '', apiUrl: '' })
  assert.match(page, /src="\/assets\/a-1\.js"/)
})

test('the page is told its prefix and the address of the API, once', () => {
  const page = writeIndex(BUILT, {
    prefix: '/llm',
    apiUrl: 'https://api.example/compat/v1',
    docsUrl: 'https://docs.example/?a=1&b=2',
  })
  assert.deepEqual(page.match(/<meta name="headrace-[^>]+>/g), [
    '<meta name="headrace-base" content="/llm">',
    '<meta name="headrace-api" content="https://api.example/compat/v1">',
    '<meta name="headrace-sign-up" content="closed">',
    '<meta name="headrace-mail" content="no">',
    '<meta name="headrace-contact" content="">',
    '<meta name="headrace-docs" content="https://docs.example/?a=1&amp;b=2">',
    '<meta name="headrace-status" content="">',
    '<meta name="headrace-payments" content="no">',
  ])
})

test('addresses cannot end their attribute or be taken for a replacement pattern', () => {
  const page = writeIndex(BUILT, { prefix: "/a$'&b", apiUrl: 'https://x/"><script>' })
  assert.match(page, /src="\/a\$'&amp;b\/assets\/a-1\.js"/)
  assert.ok(page.includes('content="https://x/&quot;>&lt;script>"'))
})

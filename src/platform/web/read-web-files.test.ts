import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { readWebFiles } from './read-web-files.ts'

const FACTS = { prefix: '', apiUrl: '' }
const folder = mkdtempSync(join(tmpdir(), 'headrace-web-'))

mkdirSync(join(folder, 'assets'))
mkdirSync(join(folder, '.vite'))
writeFileSync(join(folder, 'index.html'), '<html><head></head></html>')
writeFileSync(join(folder, 'assets/a-1.js'), 'plain')
writeFileSync(join(folder, 'assets/a-1.js.br'), 'small')
writeFileSync(join(folder, '.vite/manifest.json'), '{}')
after(() => rmSync(folder, { recursive: true }))

test('a folder that does not exist, or has no index.html, is no build', () => {
  assert.equal(readWebFiles(join(folder, 'absent'), FACTS), undefined)
  assert.equal(readWebFiles(join(folder, 'assets'), FACTS), undefined)
})

test('files are known by their path, with their compressed forms', () => {
  const files = readWebFiles(folder, FACTS)
  assert.deepEqual([...(files?.byPath.keys() ?? [])], ['/assets/a-1.js'])
  const bodies = files?.byPath.get('/assets/a-1.js')?.bodies
  assert.deepEqual(
    [...(bodies ?? [])].map(([encoding, bytes]) => [encoding, bytes.toString()]),
    [
      ['identity', 'plain'],
      ['br', 'small'],
    ],
  )
})

test('the written page is compressed as it was written', () => {
  const bodies = readWebFiles(folder, FACTS)?.pages.get('en')?.bodies
  const plain = bodies?.get('identity')?.toString() ?? ''
  assert.match(plain, /headrace-base/)
  assert.equal(brotliDecompressSync(bodies?.get('br') ?? Buffer.alloc(0)).toString(), plain)
})

test('a folder beyond the bound is refused', () => {
  assert.throws(() => readWebFiles(folder, FACTS, 20), /larger than 20 bytes/)
})

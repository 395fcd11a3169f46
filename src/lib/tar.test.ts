import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { packTar } from './tar.ts'

const FILES = [
  { name: 'empty.txt', content: '' },
  { name: 'folder/block.txt', content: 'x'.repeat(512) },
  { name: 'folder/text.txt', content: 'Grüße\n'.repeat(1_000) },
]

test('tar reads every file of an archive, byte for byte', () => {
  const input = packTar(FILES, Date.UTC(2026, 0, 2))
  const listed = execFileSync('tar', ['--list', '--verbose', '--utc', '--file', '-'], { input })
  const lines = listed.toString().trim().split('\n')
  assert.equal(lines.length, FILES.length)
  for (const line of lines) assert.match(line, /^-rw------- 0\/0 +\d+ 2026-01-02 00:00 /)
  for (const { name, content } of FILES) {
    const args = ['--extract', '--to-stdout', '--file', '-', name]
    assert.equal(execFileSync('tar', args, { input, encoding: 'utf8' }), content)
  }
})

test('a name that does not fit is rejected', () => {
  assert.throws(() => packTar([{ name: 'n'.repeat(101), content: '' }], 0), RangeError)
})

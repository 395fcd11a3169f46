import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'

test('ten different codes of 128 bits, whose hashes are those that are stored', () => {
  const { codes, hashes } = createRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const [place, code] of codes.entries()) {
    assert.match(code, /^([0-9a-f]{4}-){7}[0-9a-f]{4}$/)
    assert.deepEqual(hashRecoveryCode(code), hashes[place])
  }
})

test('a code may be typed in capitals, with spaces and without hyphens', () => {
  const [code = ''] = createRecoveryCodes().codes
  const expected = hashRecoveryCode(code)
  for (const typed of [
    code.toUpperCase(),
    code.replaceAll('-', ''),
    ` ${code.replaceAll('-', ' ')}\n`,
  ])
    assert.deepEqual(hashRecoveryCode(typed), expected)
})

test('texts of another form are not codes', () => {
  const [code = ''] = createRecoveryCodes().codes
  for (const text of [
    '',
    '123456',
    code.slice(1),
    `${code}0`,
    `g${code.slice(1)}`,
    '-'.repeat(5_000),
  ])
    assert.equal(hashRecoveryCode(text), undefined)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findPasswordFault } from './password-rules.ts'

const NAMES = { email: 'Jane.Miller@example.com', operator: ['Headrace', 'inference.example'] }

function faultOf(password: string): string | null {
  return findPasswordFault(password, NAMES)
}

test('12 to 256 characters of any kind are accepted', () => {
  for (const password of [
    'k7-plum-otter',
    ' leading and trailing ',
    'пароль от сервера',
    '🔑'.repeat(12),
    'x'.repeat(243) + 'unusual words',
    'tab\tand\nline\u0000',
  ])
    assert.equal(faultOf(password), null, JSON.stringify(password))
})

test('fewer than 12, more than 256 and half characters are refused', () => {
  for (const password of ['', 'k7-plum-ott', '🔑'.repeat(11), 'ab'.repeat(129)])
    assert.match(faultOf(password) ?? '', /12 to 256/)
  assert.match(faultOf('k7-plum-otter\ud800') ?? '', /surrogate/)
})

test('the most common passwords are refused, in any case and doubled', () => {
  const list = readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8').trim()
  const common = list.split('\n')
  assert.equal(common.length, 3_000)
  assert.deepEqual(common, [...new Set(common)].toSorted())
  const long = common.filter((password) => password.length >= 12)
  assert.ok(long.length >= 300)
  for (const password of [...long, 'PasswordPassword', 'password123456', 'QWERTYqwerty'])
    assert.match(faultOf(password) ?? '', /most common/, password)
})

test('the address and the names of the service are refused, with a few digits too', () => {
  for (const password of [
    'jane.miller@example.com',
    'JANE.MILLER@EXAMPLE.COM',
    'jane.miller2026',
    'headrace-headrace',
    'inference.example1',
  ])
    assert.match(faultOf(password) ?? '', /must not be/, password)
  assert.equal(faultOf('jane.miller and the otter'), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken, hashToken } from './token.ts'

test('a token has 256 random bits, and its hash finds it again', () => {
  const tokens = Array.from({ length: 1_000 }, createToken)
  assert.equal(new Set(tokens.map(({ token }) => token)).size, 1_000)
  for (const { token, hash } of tokens) {
    assert.match(token, /^[\w-]{43}$/)
    assert.equal(hash.length, 32)
    assert.deepEqual(hashToken(token), hash)
  }
})

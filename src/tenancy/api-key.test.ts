import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createApiKey, displayApiKey, displayParts, hashApiKey, parseApiKey } from './api-key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a created key has the documented form and is accepted', () => {
  for (let count = 0; count < 1000; count += 1) {
    const key = createApiKey('acme')
    assert.match(key, /^acme_sk_[0-9A-Za-z]{49}$/)
    assert.equal(parseApiKey(key, 'acme'), key)
  }
})

test('keys do not repeat, and use the whole alphabet', () => {
  const keys = Array.from({ length: 2000 }, () => createApiKey('h'))
  assert.equal(new Set(keys).size, keys.length)
  const used = new Set(keys.flatMap((key) => key.slice('h_sk_'.length).split('')))
  assert.equal(used.size, BASE62.length)
})

test('changing any one character makes a key invalid', () => {
  const key = createApiKey('headrace')
  for (let at = 0; at < key.length; at += 1) {
    for (const character of `${BASE62}_-. \u0000é`) {
      if (character === key[at]) continue
      const changed = `${key.slice(0, at)}${character}${key.slice(at + 1)}`
      assert.equal(parseApiKey(changed, 'headrace'), undefined, changed)
    }
  }
})

test('a key of another service, truncated or with surrounding text is invalid', () => {
  const key = createApiKey('headrace')
  assert.equal(parseApiKey(key, 'other'), undefined)
  assert.equal(parseApiKey(createApiKey('headrice'), 'headrace'), undefined)
  assert.equal(parseApiKey(key, 'headrac'), undefined)
  assert.equal(parseApiKey(createApiKey('headrace_sk'), 'headrace'), undefined)
  for (const text of ['', ' ', key.slice(1), key.slice(0, -1), `${key} `, ` ${key}`, `${key}\n`]) {
    assert.equal(parseApiKey(text, 'headrace'), undefined)
  }
})

test('property: text that was not created as a key is not accepted', () => {
  const lookalike = fc
    .string({ unit: fc.constantFrom(...BASE62.split('')), minLength: 49, maxLength: 49 })
    .map((rest) => `headrace_sk_${rest}`)
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 80 }), lookalike), (text) => {
      assert.equal(parseApiKey(text, 'headrace'), undefined)
    }),
    { numRuns: 20_000 },
  )
})

test('the hash is the SHA-256 of the whole key', () => {
  const key = createApiKey('headrace')
  assert.deepEqual(hashApiKey(key), createHash('sha256').update(key).digest())
})

test('the displayed parts contain nothing of the random part', () => {
  const key = createApiKey('headrace')
  const parts = displayParts(key)
  assert.deepEqual(parts, { prefix: 'headrace_sk_', last4: key.slice(-4) })
  assert.equal(displayApiKey(parts), `headrace_sk_…${key.slice(-4)}`)
})

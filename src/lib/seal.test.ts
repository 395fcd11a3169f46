import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { seal, SealBroken, unseal } from './seal.ts'

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
const key = () => createSecretKey(randomBytes(32))

test('unsealing returns the bytes that were sealed', () => {
  const one = key()
  fc.assert(
    fc.property(bytes, fc.string(), (plain, owner) => {
      assert.deepEqual(unseal(one, seal(one, plain, owner), owner), plain)
    }),
  )
})

test('a seal that was changed or cut, or has another key or owner, does not open', () => {
  const one = key()
  fc.assert(
    fc.property(bytes, fc.nat(), fc.integer({ min: 0, max: 7 }), (plain, place, bit) => {
      const sealed = seal(one, plain, 'owner')
      const changed = Buffer.from(sealed)
      changed[place % changed.length]! ^= 1 << bit
      assert.throws(() => unseal(one, changed, 'owner'), SealBroken)
      const part = sealed.subarray(0, place % sealed.length)
      assert.throws(() => unseal(one, part, 'owner'), SealBroken)
      assert.throws(() => unseal(key(), sealed, 'owner'), SealBroken)
      assert.throws(() => unseal(one, sealed, 'other'), SealBroken)
    }),
  )
})

test('sealing the same bytes twice gives different results', () => {
  const one = key()
  const sealed = Array.from({ length: 1_000 }, () =>
    seal(one, Buffer.from('same'), '').toString('hex'),
  )
  assert.equal(new Set(sealed).size, sealed.length)
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SealBroken } from '../../../lib/seal.ts'
import { createSealer } from './sealer.ts'

const newKey = () => randomBytes(32).toString('base64url')
const SECRET = Buffer.from('secret')

test('a secret opens for its owner and purpose only', () => {
  const key = newKey()
  const sealer = createSealer([key], 'one-time factor')
  const sealed = sealer.seal(SECRET, 'ann')
  assert.deepEqual(sealer.open(sealed, 'ann'), SECRET)
  assert.throws(() => sealer.open(sealed, 'bob'), SealBroken)
  assert.throws(() => createSealer([key], 'challenge').open(sealed, 'ann'), SealBroken)
  assert.throws(() => createSealer([newKey()], 'one-time factor').open(sealed, 'ann'), SealBroken)
})

test('an accepted signing key opens old secrets, and the current one seals new ones', () => {
  const [old, current] = [newKey(), newKey()]
  const before = createSealer([old], 'sso client secret')
  const after = createSealer([current, old], 'sso client secret')
  assert.deepEqual(after.open(before.seal(SECRET, 'id'), 'id'), SECRET)
  const alone = createSealer([current], 'sso client secret')
  assert.deepEqual(alone.open(after.seal(SECRET, 'id'), 'id'), SECRET)
})

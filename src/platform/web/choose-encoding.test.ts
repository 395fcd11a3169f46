import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEncoding, type Encoding } from './choose-encoding.ts'

const CASES: readonly (readonly [string | undefined, Encoding])[] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.2, gzip;q=0.8', 'gzip'],
  ['br ; q=1.0 , gzip', 'br'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['br;q=nonsense', 'identity'],
  ['deflate', 'identity'],
  ['identity', 'identity'],
]

for (const [accepted, expected] of CASES)
  test(`Accept-Encoding "${accepted}": ${expected}`, () => {
    assert.equal(
      chooseEncoding(accepted, () => true),
      expected,
    )
  })

test('an encoding that the file does not have is not chosen', () => {
  assert.equal(
    chooseEncoding('br, gzip', (encoding) => encoding === 'gzip'),
    'gzip',
  )
  assert.equal(
    chooseEncoding('br, gzip', () => false),
    'identity',
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BodyBlocks } from './body-blocks.ts'

const BLOCK_BYTES_MIN = 1_024

test('property: however a body is chunked, it takes at most twice its bytes', () => {
  const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(2_000), fc.nat(65_536)), { maxLength: 200 })
  fc.assert(
    fc.property(sizes, (lengths) => {
      const blocks = new BodyBlocks()
      const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1))
      for (const chunk of chunks) {
        const announced = blocks.capacityWith(chunk.length)
        blocks.append(chunk)
        assert.equal(blocks.capacity, announced)
        assert.ok(blocks.capacity <= 2 * blocks.bytes + BLOCK_BYTES_MIN)
      }
      assert.ok(blocks.take().equals(Buffer.concat(chunks)))
    }),
    { numRuns: 200 },
  )
})

test('a mebibyte in chunks of one byte takes no more than one in large chunks', () => {
  const blocks = new BodyBlocks()
  for (let byte = 0; byte < 2 ** 20; byte += 1) blocks.append(Buffer.from('x'))
  assert.ok(blocks.capacity <= 2 ** 20 + 65_536)
  assert.equal(blocks.take().length, 2 ** 20)
  assert.equal(blocks.capacity, 0)
})

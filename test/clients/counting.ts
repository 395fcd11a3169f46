import assert from 'node:assert/strict'

const LAST = 40

export const COUNTING = `Count from 1 to ${LAST}.`

/**
 * The numbers are wrong if a chunk is missing, repeated or out of order. The number of chunks
 * depends on the load, because text that arrives together is sent together.
 */
export function assertCounted(pieces: readonly string[]): void {
  const numbers = pieces.join('').match(/\d+/g) ?? []
  const expected = Array.from({ length: LAST }, (_, index) => String(index + 1))
  assert.deepEqual(numbers, expected)
}

import assert from 'node:assert/strict'

const LAST = 40

export const COUNTING = `Count from 1 to ${LAST}.`

/**
 * Numbers lose their order as soon as one piece is missing, doubled or out of its place. How many
 * pieces there are depends on the load: what arrives together is passed on together.
 */
export function assertCounted(pieces: readonly string[]): void {
  const numbers = pieces.join('').match(/\d+/g) ?? []
  const expected = Array.from({ length: LAST }, (_, index) => String(index + 1))
  assert.deepEqual(numbers, expected)
}

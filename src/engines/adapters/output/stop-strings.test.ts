import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { StopStrings } from './stop-strings.ts'

/** What a reader sees who looks at the text after every unit: the definition of the first match. */
function cutSlowly(text: string, strings: readonly string[]): { text: string; reached: boolean } {
  for (let end = 1; end <= text.length; end += 1) {
    const ending = strings.filter((string) => text.slice(0, end).endsWith(string))
    const longest = Math.max(0, ...ending.map(({ length }) => length))
    if (longest > 0) return { text: text.slice(0, end - longest), reached: true }
  }
  return { text, reached: false }
}

function cutInParts(parts: readonly string[], strings: readonly string[]) {
  const stop = new StopStrings(strings)
  let text = ''
  for (const part of parts) {
    text += stop.pass(part)
    if (stop.isReached) return { text, reached: true }
  }
  return { text: text + stop.release(), reached: false }
}

/** Few letters, so that strings overlap; characters of two units; and whole words. */
const letters = fc.constantFrom('a', 'b', '\n', 'é', '😀', '😁', 'User:')
const strings = fc.array(
  fc.array(letters, { minLength: 1, maxLength: 5 }).map((each) => each.join('')),
  { minLength: 1, maxLength: 4 },
)
const parts = fc.array(
  fc.array(letters, { maxLength: 6 }).map((each) => each.join('')),
  { maxLength: 12 },
)

test('a text ends at the first string, however it is cut into parts', () => {
  fc.assert(
    fc.property(parts, strings, (cut, sought) => {
      assert.deepEqual(cutInParts(cut, sought), cutSlowly(cut.join(''), sought))
    }),
    { numRuns: 5_000 },
  )
})

test('text that cannot begin a string is not held back', () => {
  const stop = new StopStrings(['###', 'Observation:'])
  assert.equal(stop.pass('Hello #'), 'Hello ')
  assert.equal(stop.pass('1 #'), '#1 ')
  assert.equal(stop.pass('##'), '')
  assert.equal(stop.isReached, true)
})

test('text after a tool call is another one: no string spans both', () => {
  const stop = new StopStrings(['ab'])
  assert.equal(stop.pass('xa'), 'x')
  assert.equal(stop.release(), 'a')
  assert.equal(stop.pass('b'), 'b')
  assert.equal(stop.isReached, false)
})

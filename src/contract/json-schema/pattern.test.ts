import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { checkJsonSchemas } from './check-json-schemas.ts'
import { findPatternViolation } from './pattern.ts'

const GOOD_PATTERNS = [
  '',
  '^a+$',
  'a{1000}',
  'a{0,1000}?',
  '(?:ab){2,3}',
  '(?<year>\\d{4})',
  '(?P<year>\\d{4})',
  '(?i)abc',
  '[(?=]',
  '[\\]\\1(?!]',
  '\\(?=',
  '\\\\d',
  '\\0',
  '{',
  'a{,}',
  'x{y}',
  '(a{10}){100}',
  '[^]]',
  '\\u{1F600}',
  'a'.repeat(256),
  '(a{1000}|b){1}c{1000}',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]{2,}$',
  '^(\\d{1,3}\\.){3}\\d{1,3}$',
  '^\\s*\\S+(\\s+\\S+)*\\s*$',
  '^[^@]+@[^@]+\\.[^@]+$',
  '[ab]*a[ab]{9}',
  '^.+\\.[a-z0-9.]{2,10}$',
  'a{1000}b{1000}c{1000}',
  '^P(?:\\d+Y)?(?:\\d+M)?(?:\\d+D)?(?:T(?:\\d+H)?(?:\\d+M)?)?$',
]
const BAD_PATTERNS = {
  'at most 256 characters': ['a'.repeat(257)],
  'look-around': [
    '(?=a)',
    'a(?!b)',
    '(?<=a)',
    '(?<!a)',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(?P=n)',
    '\\\\\\1',
    '(?>a)',
    '(?R)',
    '(?(1)a)',
    '[](?=a)]',
  ],
  'more than 1000 times': [
    'a{1001}',
    'a{1,1001}',
    'a{1001,}',
    'a{,1001}',
    '(a{100}){11}',
    '((a{20})*b{2}){51}',
    'a{40}{40}',
    'a{0}{1001}',
    'a{99999999999999999999}',
    '((a{501}){0}){2}',
  ],
  'that can be empty': ['(a?)*', '(a*){1,20}', '(a|){2}', '((a?){1,5}){1,5}'],
  'many ways': ['(.+)+', '(a|a)*', '(.{1,30}){1,30}', '.*.*.*.*', '^(.+-)+$', '.?'.repeat(20)],
  'too many states': [
    '^[ab]*a[ab]{12}'.repeat(4),
    '[ab]*a[ab]{20}',
    '^.{1,100} - .{1,100}$',
    '.*x.{200}',
  ],
  'a regular expression': ['a{5,2}', '(', ')', '[', '[a\\]', 'a\\', '(a))', ')('],
}

test('accepted: regular patterns, with escapes and classes', () => {
  for (const pattern of GOOD_PATTERNS)
    assert.equal(findPatternViolation(pattern), undefined, pattern)
})

for (const [message, patterns] of Object.entries(BAD_PATTERNS)) {
  test(`rejected: patterns that violate "${message}"`, () => {
    for (const pattern of patterns) {
      assert.match(findPatternViolation(pattern) ?? '', new RegExp(message), pattern)
    }
  })
}

test('names in patternProperties are checked as patterns, and not quoted', () => {
  const violation = (schema: unknown) => checkJsonSchemas([{ path: 'schema', schema }])
  assert.equal(violation({ patternProperties: { '^x-': {} } }), undefined)
  const found = violation({ patternProperties: { abc: {}, '(?=b)': {} } })
  assert.equal(found?.path, 'schema.patternProperties')
  assert.match(found.message, /^must have valid patterns as names: each must not use look-around/)
})

test('the patterns of a request share one limit of states, and equal ones count once', () => {
  const large = (letter: string) => `^.+${letter}[a-z0-9.]{2,10}$`
  const schemaOf = (patterns: readonly string[]) => ({
    anyOf: patterns.map((pattern) => ({ type: 'string', pattern })),
  })
  const check = (patterns: readonly string[]) =>
    checkJsonSchemas([{ path: 'schema', schema: schemaOf(patterns) }])
  assert.equal(check([large('b'), large('b'), large('b')]), undefined)
  const found = check([large('b'), large('c')])
  assert.equal(found?.path, 'schema.anyOf[1].pattern')
  assert.match(found.message, /too many states/)
})

test('property: it never throws', () => {
  const pieces = fc.constantFrom(
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '\\',
    '?',
    '<',
    '=',
    ',',
    '9',
    'a',
    '|',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (text) => {
      const violation = findPatternViolation(text.join(''))
      assert.ok(violation === undefined || violation.startsWith('must '))
    }),
    { numRuns: 3000 },
  )
})

test('property: look-around and back-references, as V8 reads them, are never accepted', () => {
  const pieces = fc.constantFrom(
    '(?=a)',
    '(?<!a)',
    '(a)',
    '\\1',
    '[',
    ']',
    '\\',
    'b',
    '(',
    ')',
    '^',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const pattern = parts.join('')
      fc.pre(findPatternViolation(pattern) === undefined && isRegExp(pattern))
      // After escapes and classes are replaced, none may be left.
      const outside = pattern.replace(/\\[^1]|\[(?:\\[^]|[^\]\\])*\]/g, 'x')
      assert.doesNotMatch(outside, /\(\?[=<]|\\1/, pattern)
    }),
    { numRuns: 3000 },
  )
})

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}

import type { Schema } from './values.ts'

// What zod writes for every integer, and where JSON numbers stop being exact.
const INTEGER_MAX = Number.MAX_SAFE_INTEGER

// llama-server spells integers with up to 16 digits. For a lower bound of as many it asks for at
// least 16 and at most 15, counts upwards and takes all memory; the same below zero.
const INTEGER_NEAR_SIDE_MAX = 999_999_999_999_999

const PAIRS = [
  ['minItems', 'maxItems'],
  ['minLength', 'maxLength'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
] as const

const JOINED = ['object', 'string']

export type BoundViolation = { readonly keyword: string; readonly message: string }

// Bounds of one schema that an engine cannot count between. A lower bound above the upper one
// allows no value at all, and llama-server counts from it to the upper one until memory ends.
export function findBoundViolation(schema: Schema): BoundViolation | undefined {
  for (const [lower, upper] of PAIRS) {
    const least = schema[lower]
    const most = schema[upper]
    if (typeof least === 'number' && typeof most === 'number' && least > most) {
      return { keyword: lower, message: `must not be greater than ${upper}` }
    }
  }
  const { type } = schema
  // llama-server reads all of allOf once for each of the two, and again for each within it.
  if (
    Array.isArray(type) &&
    Object.hasOwn(schema, 'allOf') &&
    JOINED.every((t) => type.includes(t))
  )
    return {
      keyword: 'allOf',
      message: 'must not be combined with both types object and string',
    }
  return allowsInteger(type) ? findIntegerViolation(schema) : undefined
}

function findIntegerViolation(schema: Schema): BoundViolation | undefined {
  for (const keyword of ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum']) {
    const bound = schema[keyword]
    if (typeof bound !== 'number') continue
    const isLower = keyword.toLowerCase().endsWith('minimum')
    const highest = isLower ? INTEGER_NEAR_SIDE_MAX : INTEGER_MAX
    const lowest = isLower ? -INTEGER_MAX : -INTEGER_NEAR_SIDE_MAX
    if (bound < lowest) return { keyword, message: `must be at least ${lowest} for an integer` }
    if (bound > highest) return { keyword, message: `must be at most ${highest} for an integer` }
  }
  return undefined
}

function allowsInteger(type: unknown): boolean {
  return Array.isArray(type) ? type.includes('integer') : type === 'integer'
}

import type { Schema } from './values.ts'

// The bound that zod writes for every integer, and above which JSON numbers are not exact.
const INTEGER_MAX = Number.MAX_SAFE_INTEGER

// llama-server generates integers with up to 16 digits. For a lower bound with 16 digits it asks
// for at least 16 and at most 15 digits, counts upwards and uses all memory; the same below zero.
const INTEGER_NEAR_SIDE_MAX = 999_999_999_999_999

const PAIRS = [
  ['minItems', 'maxItems'],
  ['minLength', 'maxLength'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
] as const

const TYPES_JOINED_TWICE = ['object', 'string']

export type BoundViolation = { readonly keyword: string; readonly message: string }

// Finds bounds that engines cannot handle. A lower bound above the upper one allows no value, and
// llama-server counts from the lower towards the upper until it runs out of memory.
export function findBoundViolation(schema: Schema): BoundViolation | undefined {
  for (const [lower, upper] of PAIRS) {
    const least = schema[lower]
    const most = schema[upper]
    if (typeof least === 'number' && typeof most === 'number' && least > most) {
      return { keyword: lower, message: `must not be greater than ${upper}` }
    }
  }
  const { type } = schema
  // llama-server processes allOf once for each of the two types, and again at every level below.
  if (
    Array.isArray(type) &&
    Object.hasOwn(schema, 'allOf') &&
    TYPES_JOINED_TWICE.every((name) => type.includes(name))
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

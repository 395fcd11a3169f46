import { isObject } from '../../lib/is-object.ts'
import { SCHEMA_KEYWORDS } from './keywords.ts'
import type { Schema } from './values.ts'

// For each candidate token, an engine follows all alternatives that are still possible. With 500,
// llama-server took a second for a hundred tokens.
export const SCHEMA_ALTERNATIVES_MAX = 500

const MOST = `at most ${SCHEMA_ALTERNATIVES_MAX}`
export const TOO_MANY_ALTERNATIVES = `must have ${MOST} alternatives at one position`

// A pattern can be at a few positions at the same time.
const PATTERN_ALTERNATIVES = 3

// Values of an enum that start with the same characters are alternatives; others differ at once.
const ENUM_PREFIX_LENGTH = 3

// How many alternatives can be possible at one position of a value. `inPlace` maps each schema to
// those that apply to the same value, and must be free of cycles.
export function countAlternatives(
  root: Schema,
  inPlace: ReadonlyMap<Schema, readonly Schema[]>,
): number {
  const counts = new Map<Schema, number>()
  const countOf = (schema: Schema): number => {
    const known = counts.get(schema)
    if (known !== undefined) return known
    // For a schema that contains itself.
    counts.set(schema, 1)
    let here = 0
    for (const part of inPlace.get(schema) ?? []) here += countOf(part)
    const within = nestedIn(schema).map(countOf)
    const count = within.reduce(
      (most, each) => Math.max(most, each),
      Math.max(here, ownCount(schema)),
    )
    counts.set(schema, count)
    return count
  }
  // The last ones are innermost: in this order a long chain of references needs no deep recursion.
  for (const schema of [...inPlace.keys()].toReversed()) countOf(schema)
  return [...counts.values()].reduce((most, each) => Math.max(most, each), countOf(root))
}

function ownCount(schema: Schema): number {
  if (Array.isArray(schema['enum'])) return largestPrefixGroup(schema['enum'])
  return Object.hasOwn(schema, 'pattern') ? PATTERN_ALTERNATIVES : 1
}

function largestPrefixGroup(values: readonly unknown[]): number {
  const groups = new Map<string, number>()
  for (const value of values) {
    const prefix = JSON.stringify(value).slice(0, ENUM_PREFIX_LENGTH)
    groups.set(prefix, (groups.get(prefix) ?? 0) + 1)
  }
  return Math.max(...groups.values())
}

function nestedIn(schema: Schema): Schema[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    const keyword = SCHEMA_KEYWORDS.get(name)
    if (keyword === undefined || !('role' in keyword) || keyword.role !== 'nested') return []
    if (keyword.kind === 'schema' && !Array.isArray(value)) return [value].filter(isObject)
    return Object.values(value as object).filter(isObject)
  })
}

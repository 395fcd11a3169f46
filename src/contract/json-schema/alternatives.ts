import { isObject } from '../../lib/is-object.ts'
import { SCHEMA_KEYWORDS } from './keywords.ts'
import type { Schema } from './values.ts'

// An engine follows all alternatives that the answer so far leaves open, for each token that it
// could choose. 500 took llama-server a second for a hundred tokens.
export const SCHEMA_ALTERNATIVES_MAX = 500

const MOST = `at most ${SCHEMA_ALTERNATIVES_MAX}`
export const TOO_MANY_ALTERNATIVES = `must have ${MOST} alternatives at one position`

// Beside its own ends a pattern has a few places that are open at the same time.
const PATTERN_ALTERNATIVES = 3

// Values of an enum that begin alike stay open together; others are told apart at once.
const ENUM_BEGINNING = 3

// How many alternatives can be open at one place of a value of this schema. `inPlace` has for each
// schema those that apply to the same value, and must not lead from one back to itself.
export function countAlternatives(
  root: Schema,
  inPlace: ReadonlyMap<Schema, readonly Schema[]>,
): number {
  const counts = new Map<Schema, number>()
  const countOf = (schema: Schema): number => {
    const known = counts.get(schema)
    if (known !== undefined) return known
    // For a schema that is met within itself.
    counts.set(schema, 1)
    let here = 0
    for (const part of inPlace.get(schema) ?? []) here += countOf(part)
    const within = nestedIn(schema).map(countOf)
    const count = within.reduce((most, each) => Math.max(most, each), Math.max(here, own(schema)))
    counts.set(schema, count)
    return count
  }
  // Those met last are innermost, so that a long chain of references is not one deep call.
  for (const schema of [...inPlace.keys()].toReversed()) countOf(schema)
  return [...counts.values()].reduce((most, each) => Math.max(most, each), countOf(root))
}

function own(schema: Schema): number {
  if (Array.isArray(schema['enum'])) return alikeIn(schema['enum'])
  return Object.hasOwn(schema, 'pattern') ? PATTERN_ALTERNATIVES : 1
}

function alikeIn(values: readonly unknown[]): number {
  const beginnings = new Map<string, number>()
  for (const value of values) {
    const beginning = JSON.stringify(value).slice(0, ENUM_BEGINNING)
    beginnings.set(beginning, (beginnings.get(beginning) ?? 0) + 1)
  }
  return Math.max(...beginnings.values())
}

function nestedIn(schema: Schema): Schema[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    const keyword = SCHEMA_KEYWORDS.get(name)
    if (keyword === undefined || !('role' in keyword) || keyword.role !== 'nested') return []
    if (keyword.kind === 'schema' && !Array.isArray(value)) return [value].filter(isObject)
    return Object.values(value as object).filter(isObject)
  })
}

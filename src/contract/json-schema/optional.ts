import { isObject } from '../../lib/is-object.ts'
import type { Schema } from './values.ts'

// llama-server writes a rule for every pair of optional properties of an object and searches for
// its name, which contains the names of all enclosing objects. A cost of 6,000,000 took it a third
// of a second.
export const SCHEMA_OPTIONAL_COST_MAX = 12_000_000

export const TOO_MANY_OPTIONAL =
  'must have fewer optional properties or shorter names (all schemas of the request count ' +
  'together): the cost grows with the square of the number of optional properties of an object'

// The cost of a rule without its name, in characters.
const RULE_COST = 50

// Joined properties with the same name cost more than those with different names.
const JOINED_FACTOR = 2

// The cost of the object that a schema describes. `pathLength` is the total length of the names on
// the path to it.
export function costOfOptional(schema: Schema, pathLength: number): number {
  const { properties, required } = schema
  if (!isObject(properties)) return 0
  const always = new Set<unknown>(Array.isArray(required) ? required : [])
  const names = Object.keys(properties).filter((name) => !always.has(name))
  return costOf(names.length, pathLength + longest(names))
}

// Where allOf joins properties, engines list those of every branch, once per reference. The schemas
// must not refer back to themselves at the same level.
export function costOfJoined(inPlace: ReadonlyMap<Schema, readonly Schema[]>): number {
  const counts = new Map<Schema, number>()
  const countOf = (schema: Schema): number => {
    const known = counts.get(schema)
    if (known !== undefined) return known
    let count = isObject(schema['properties']) ? Object.keys(schema['properties']).length : 0
    for (const part of inPlace.get(schema) ?? []) count += countOf(part)
    counts.set(schema, count)
    return count
  }
  let cost = 0
  // The last ones are innermost: in this order a long chain of references needs no deep recursion.
  for (const schema of [...inPlace.keys()].toReversed()) {
    const count = countOf(schema)
    if (Object.hasOwn(schema, 'allOf')) cost += JOINED_FACTOR * costOf(count, 0)
  }
  return cost
}

function costOf(properties: number, nameLength: number): number {
  return properties ** 2 * (RULE_COST + nameLength)
}

function longest(names: readonly string[]): number {
  return names.reduce((most, { length }) => Math.max(most, length), 0)
}

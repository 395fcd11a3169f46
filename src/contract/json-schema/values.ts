import { isObject } from '../../lib/is-object.ts'
import type { SchemaKeyword } from './keywords.ts'
import { findPatternViolation, type PatternTotals } from './pattern.ts'

export type Schema = Readonly<Record<string, unknown>>

const DRAFTS = new Set([
  'json-schema.org/draft-07/schema',
  'json-schema.org/draft/2019-09/schema',
  'json-schema.org/draft/2020-12/schema',
])

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'])

type ValueKeyword = Exclude<SchemaKeyword, { kind: 'schema' | 'map' }>

// The violation in the value of a keyword without subschemas, as the end of a sentence. Literals
// may have any value.
export function findValueViolation(
  keyword: ValueKeyword,
  value: unknown,
  totals: PatternTotals,
): string | undefined {
  switch (keyword.kind) {
    case 'draft':
      return isDraft(value) ? undefined : 'must name draft-07, 2019-09 or 2020-12'
    case 'type':
      return isType(value) ? undefined : 'must be a JSON Schema type or an array of distinct ones'
    case 'pattern':
      return typeof value === 'string' ? findPatternViolation(value, totals) : 'must be a string'
    case 'reference':
      if (typeof value === 'string' && value.startsWith('#')) return undefined
      return 'must be a local reference, starting with #'
    case 'names':
      return isNames(value) ? undefined : 'must be an array of strings'
    case 'name_lists':
      if (isObject(value) && Object.values(value).every(isNames)) return undefined
      return 'must be an object of arrays of strings'
    case 'count':
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
        return value <= keyword.most ? undefined : `must be at most ${keyword.most}`
      }
      return 'must be a non-negative integer'
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number'
    case 'positive':
      return typeof value === 'number' && value > 0 ? undefined : 'must be a number greater than 0'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be a boolean'
    case 'id':
    case 'anchor':
    case 'string':
      return typeof value === 'string' ? undefined : 'must be a string'
    case 'enum':
    case 'const':
      break
  }
  return undefined
}

export function isFilledArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

export function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isType(value: unknown): boolean {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (names.length === 0 || names.length > TYPES.size) return false
  return new Set(names).size === names.length && names.every((name) => TYPES.has(name as string))
}

function isDraft(value: unknown): boolean {
  return (
    typeof value === 'string' && DRAFTS.has(value.replace(/^https?:\/\//, '').replace(/#$/, ''))
  )
}

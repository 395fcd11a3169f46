import type { PatternTotals } from './pattern.ts'

// A level is the depth of a value in the reply, starting at 0 for the root: a property or an item
// is one deeper, a branch of anyOf is not, because libraries wrap every optional field in one. The
// deepest schemas seen in practice (a Kubernetes pod specification without references) have ten.
export const SCHEMA_LEVELS_MAX = 10

// The limits below apply to all schemas of a request together, because the engine compiles all of
// them before the first token. Other services have the same limits.
export const SCHEMA_PROPERTIES_MAX = 5_000
export const SCHEMA_ENUM_VALUES_MAX = 1_000

// Names of properties and definitions, enum and const values: the literals of the grammar.
export const SCHEMA_CHARACTERS_MAX = 120_000

// llama-server recurses once per character of a name and crashes near 30,000.
export const SCHEMA_NAME_LENGTH_MAX = 256

// Room for 125 patterns of the usual length; checking them takes microseconds per character.
const SCHEMA_PATTERN_CHARACTERS_MAX = 5_000

// Twice the properties: room for the items, branches and definitions around them.
export const SCHEMA_NODES_MAX = 10_000

// Mostly descriptions, which cost prompt tokens. 128 tools of 2 KiB each fit.
export const SCHEMA_BYTES_MAX = 256 * 1024

const LIMITS = {
  properties: [SCHEMA_PROPERTIES_MAX, 'properties'],
  enumValues: [SCHEMA_ENUM_VALUES_MAX, 'enum values'],
  characters: [SCHEMA_CHARACTERS_MAX, 'characters of names, enum values and const values'],
  nodes: [SCHEMA_NODES_MAX, 'subschemas'],
  bytes: [SCHEMA_BYTES_MAX, 'bytes of JSON'],
  patternCharacters: [SCHEMA_PATTERN_CHARACTERS_MAX, 'characters of patterns'],
} as const

export type Totals = PatternTotals & Record<keyof typeof LIMITS | 'optionalCost', number>

export function add(totals: Totals, name: keyof typeof LIMITS, amount: number): string | undefined {
  totals[name] += amount
  const [most, things] = LIMITS[name]
  if (totals[name] <= most) return undefined
  return `must have at most ${most} ${things} (all schemas of the request count together)`
}

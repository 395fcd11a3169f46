// Where the subschemas of a keyword apply. `in_place`: to the same value as the parent schema;
// `nested`: to a part of that value, one level deeper; `definition`: only where referenced.
export type SchemaRole = 'in_place' | 'nested' | 'definition'

export type SchemaKeyword =
  // `array`: whether the value may, must or must not be an array of schemas.
  | { readonly kind: 'schema'; readonly role: SchemaRole; readonly array: 'no' | 'may' | 'must' }
  | {
      readonly kind: 'map'
      readonly role: SchemaRole
      readonly names: 'property' | 'pattern' | 'plain'
      // Draft-07 `dependencies` may contain lists of names beside schemas.
      readonly lists?: true
    }
  | { readonly kind: 'count'; readonly most: number }
  | {
      readonly kind:
        | 'draft'
        | 'type'
        | 'enum'
        | 'const'
        | 'pattern'
        | 'reference'
        | 'anchor'
        | 'id'
        | 'names'
        | 'name_lists'
        | 'number'
        | 'positive'
        | 'string'
        | 'boolean'
    }

// Grammars list a bounded array element by element, and engines fail near 2,000.
export const SCHEMA_ITEMS_MAX = 1_000

// Longer than any reply can be; a larger bound can only be a mistake.
export const SCHEMA_LENGTH_MAX = 100_000

const inPlace = { kind: 'schema', role: 'in_place', array: 'no' } as const
const nested = { kind: 'schema', role: 'nested', array: 'no' } as const
const choices = { kind: 'schema', role: 'in_place', array: 'must' } as const
const definitions = { kind: 'map', role: 'definition', names: 'plain' } as const
const items = { kind: 'count', most: SCHEMA_ITEMS_MAX } as const
const length = { kind: 'count', most: SCHEMA_LENGTH_MAX } as const
const reference = { kind: 'reference' } as const
const anchor = { kind: 'anchor' } as const
const number = { kind: 'number' } as const
const string = { kind: 'string' } as const
const boolean = { kind: 'boolean' } as const

// Draft-07, 2019-09 and 2020-12 together. Any other keyword counts as an annotation, as do
// `default` and `examples`, which may have any value. A Map, because callers may use `constructor`
// as a keyword.
export const SCHEMA_KEYWORDS: ReadonlyMap<string, SchemaKeyword> = new Map<string, SchemaKeyword>([
  ['$schema', { kind: 'draft' }],
  ['$id', { kind: 'id' }],
  ['$anchor', anchor],
  ['$dynamicAnchor', anchor],
  ['$ref', reference],
  ['$dynamicRef', reference],
  ['$recursiveRef', reference],
  ['$defs', definitions],
  ['definitions', definitions],
  ['type', { kind: 'type' }],
  ['enum', { kind: 'enum' }],
  ['const', { kind: 'const' }],
  ['properties', { kind: 'map', role: 'nested', names: 'property' }],
  ['patternProperties', { kind: 'map', role: 'nested', names: 'pattern' }],
  ['dependentSchemas', { kind: 'map', role: 'in_place', names: 'plain' }],
  ['dependencies', { kind: 'map', role: 'in_place', names: 'plain', lists: true }],
  ['dependentRequired', { kind: 'name_lists' }],
  ['required', { kind: 'names' }],
  ['items', { kind: 'schema', role: 'nested', array: 'may' }],
  ['prefixItems', { kind: 'schema', role: 'nested', array: 'must' }],
  ['additionalItems', nested],
  ['unevaluatedItems', nested],
  ['contains', nested],
  ['additionalProperties', nested],
  ['unevaluatedProperties', nested],
  ['propertyNames', nested],
  ['contentSchema', nested],
  ['allOf', choices],
  ['anyOf', choices],
  ['oneOf', choices],
  ['not', inPlace],
  ['if', inPlace],
  ['then', inPlace],
  ['else', inPlace],
  ['pattern', { kind: 'pattern' }],
  ['minItems', items],
  ['maxItems', items],
  ['minContains', items],
  ['maxContains', items],
  ['minProperties', items],
  ['maxProperties', items],
  ['minLength', length],
  ['maxLength', length],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', number],
  ['exclusiveMaximum', number],
  ['multipleOf', { kind: 'positive' }],
  ['uniqueItems', boolean],
  ['readOnly', boolean],
  ['writeOnly', boolean],
  ['deprecated', boolean],
  ['format', string],
  ['title', string],
  ['description', string],
  ['$comment', string],
  ['contentEncoding', string],
  ['contentMediaType', string],
])

import { byteLength } from '../../lib/byte-length.ts'
import { isObject } from '../../lib/is-object.ts'
import { formatJsonPath, type JsonPathSegment } from '../../lib/json-path.ts'
import {
  countAlternatives,
  SCHEMA_ALTERNATIVES_MAX,
  TOO_MANY_ALTERNATIVES,
} from './alternatives.ts'
import { findBoundViolation } from './bounds.ts'
import { SCHEMA_KEYWORDS, type SchemaKeyword, type SchemaRole } from './keywords.ts'
import {
  costOfJoined,
  costOfOptional,
  SCHEMA_OPTIONAL_COST_MAX,
  TOO_MANY_OPTIONAL,
} from './optional.ts'
import { add, SCHEMA_LEVELS_MAX, SCHEMA_NAME_LENGTH_MAX, type Totals } from './totals.ts'
import { findPatternViolation } from './pattern.ts'
import { ENDLESS, hasEndlessReference, pathOfPointer, resolveReference } from './references.ts'
import { findValueViolation, isFilledArray, isNames, type Schema } from './values.ts'

export type SchemaViolation = { readonly path: string; readonly message: string }

const NAME_TOO_LONG = `must have names of at most ${SCHEMA_NAME_LENGTH_MAX} characters`

// Linked to the root, so that a path is built only for a violation.
type Place = { readonly parent: Place; readonly segment: JsonPathSegment } | undefined

type Node = {
  readonly schema: Schema
  readonly place: Place
  readonly level: number
  // Total length of the names on the path to this schema.
  readonly pathLength: number
}

type Walk = {
  readonly path: string
  readonly totals: Totals
  // Grows during the walk, up to SCHEMA_NODES_MAX.
  readonly nodes: Node[]
  readonly seen: Set<Schema>
  readonly anchors: Map<string, Schema>
  readonly references: { readonly from: Schema; readonly text: string; readonly place: Place }[]
  // Maps each schema to those that apply to the same value.
  readonly inPlace: Map<Schema, Schema[]>
}

// Checks the JSON Schemas of one request: that they are schemas, and that an engine can compile
// them safely. Nothing is compiled here and no pattern is run. The values must come from parseJson,
// which limits their depth.
export function checkJsonSchemas(
  schemas: readonly { readonly path: string; readonly schema: unknown }[],
): SchemaViolation | undefined {
  const none = { properties: 0, enumValues: 0, characters: 0, nodes: 0, bytes: 0 }
  const totals: Totals = {
    ...none,
    patternCharacters: 0,
    optionalCost: 0,
    automatonSteps: 0,
    patterns: new Set(),
  }
  for (const { path, schema } of schemas) {
    if (!isObject(schema)) return { path, message: 'must be a JSON Schema object' }
    const message = add(totals, 'bytes', byteLength(JSON.stringify(schema)))
    if (message !== undefined) return { path, message }
  }
  for (const { path, schema } of schemas) {
    const violation = checkSchema(path, schema as Schema, totals)
    if (violation !== undefined) return violation
  }
  return undefined
}

function checkSchema(path: string, root: Schema, totals: Totals): SchemaViolation | undefined {
  const walk: Walk = {
    path,
    totals,
    nodes: [],
    seen: new Set(),
    anchors: new Map(),
    references: [],
    inPlace: new Map(),
  }
  let violation = visit(walk, root, undefined, 0, 0) ?? checkNodes(walk, 0)
  // A reference may point below an unknown keyword, to a schema that was not visited yet and may
  // contain further references.
  for (let index = 0; violation === undefined && index < walk.references.length; index++) {
    const { from, text, place } = walk.references[index] as Walk['references'][number]
    const target = resolveReference(text, root, walk.anchors)
    if (typeof target === 'boolean') continue
    if (!isObject(target)) {
      return violationAt(walk, place, 'must refer to a schema within the same JSON Schema')
    }
    const firstNew = walk.nodes.length
    const targetPlace = walk.seen.has(target) ? place : placeOf(pathOfPointer(text, root))
    violation = visit(walk, target, targetPlace, 0, text.length) ?? checkNodes(walk, firstNew)
    applyInPlace(walk, from, target)
  }
  if (violation !== undefined) return violation
  if (hasEndlessReference(walk.inPlace)) return { path, message: ENDLESS }
  if (countAlternatives(root, walk.inPlace) > SCHEMA_ALTERNATIVES_MAX)
    return { path, message: TOO_MANY_ALTERNATIVES }
  return addOptionalCost(walk, costOfJoined(walk.inPlace))
}

function checkNodes(walk: Walk, first: number): SchemaViolation | undefined {
  for (let index = first; index < walk.nodes.length; index++) {
    const node = walk.nodes[index] as Node
    for (const [name, value] of Object.entries(node.schema)) {
      const keyword = SCHEMA_KEYWORDS.get(name)
      if (keyword === undefined) continue
      const place: Place = { parent: node.place, segment: name }
      const violation = checkKeyword(walk, node, keyword, value, place)
      if (violation !== undefined) return violation
    }
    const bound = findBoundViolation(node.schema)
    const segment = bound?.keyword ?? ''
    if (bound !== undefined)
      return violationAt(walk, { parent: node.place, segment }, bound.message)
    const violation = addOptionalCost(walk, costOfOptional(node.schema, node.pathLength))
    if (violation !== undefined) return violation
  }
  return undefined
}

function addOptionalCost(walk: Walk, cost: number): SchemaViolation | undefined {
  walk.totals.optionalCost += cost
  if (walk.totals.optionalCost <= SCHEMA_OPTIONAL_COST_MAX) return undefined
  return violationAt(walk, undefined, TOO_MANY_OPTIONAL)
}

function checkKeyword(
  walk: Walk,
  node: Node,
  keyword: SchemaKeyword,
  value: unknown,
  place: Place,
): SchemaViolation | undefined {
  if (keyword.kind === 'schema') return checkSubschemas(walk, node, keyword, value, place)
  if (keyword.kind === 'map') return checkMap(walk, node, keyword, value, place)
  if (keyword.kind === 'enum' || keyword.kind === 'const') {
    if (keyword.kind === 'enum' && !isFilledArray(value)) {
      return violationAt(walk, place, 'must be an array with at least one value')
    }
    return checkLiterals(
      walk,
      keyword.kind === 'enum' ? (value as unknown[]) : [value],
      keyword.kind,
    )
  }
  const message = findValueViolation(keyword, value, walk.totals)
  if (message !== undefined) return violationAt(walk, place, message)
  if (keyword.kind === 'pattern') {
    const excess = add(walk.totals, 'patternCharacters', (value as string).length)
    if (excess !== undefined) return violationAt(walk, undefined, excess)
  } else if (keyword.kind === 'reference') {
    walk.references.push({ from: node.schema, text: value as string, place })
  } else if (keyword.kind === 'anchor') {
    walk.anchors.set(value as string, node.schema)
  } else if (keyword.kind === 'id' && (value as string).startsWith('#')) {
    // Draft-07 defines anchors this way.
    walk.anchors.set((value as string).slice(1), node.schema)
  }
  return undefined
}

function checkSubschemas(
  walk: Walk,
  node: Node,
  { role, array }: Extract<SchemaKeyword, { kind: 'schema' }>,
  value: unknown,
  place: Place,
): SchemaViolation | undefined {
  if (array === 'must' && !isFilledArray(value)) {
    return violationAt(walk, place, 'must be an array with at least one JSON Schema')
  }
  if (array === 'no' || !Array.isArray(value)) return visitSubschema(walk, node, role, value, place)
  for (const [index, item] of value.entries()) {
    const violation = visitSubschema(walk, node, role, item, { parent: place, segment: index })
    if (violation !== undefined) return violation
  }
  return undefined
}

function checkMap(
  walk: Walk,
  node: Node,
  { role, names, lists }: Extract<SchemaKeyword, { kind: 'map' }>,
  value: unknown,
  place: Place,
): SchemaViolation | undefined {
  if (!isObject(value)) return violationAt(walk, place, 'must be an object of JSON Schemas')
  for (const [name, item] of Object.entries(value)) {
    const excess =
      add(walk.totals, 'characters', name.length) ??
      add(walk.totals, 'properties', names === 'plain' ? 0 : 1) ??
      add(walk.totals, 'patternCharacters', names === 'pattern' ? name.length : 0)
    if (excess !== undefined) return violationAt(walk, undefined, excess)
    if (name.length > SCHEMA_NAME_LENGTH_MAX) return violationAt(walk, place, NAME_TOO_LONG)
    const message = names === 'pattern' ? findPatternViolation(name, walk.totals) : undefined
    if (message !== undefined) {
      return violationAt(walk, place, `must have valid patterns as names: each ${message}`)
    }
    if (lists && isNames(item)) continue
    const violation = visitSubschema(walk, node, role, item, { parent: place, segment: name })
    if (violation !== undefined) return violation
  }
  return undefined
}

function checkLiterals(
  walk: Walk,
  values: readonly unknown[],
  kind: 'enum' | 'const',
): SchemaViolation | undefined {
  let excess = kind === 'enum' ? add(walk.totals, 'enumValues', values.length) : undefined
  for (const value of values) {
    const { length } = typeof value === 'string' ? value : JSON.stringify(value)
    excess ??= add(walk.totals, 'characters', length)
    if (excess !== undefined) return violationAt(walk, undefined, excess)
  }
  return undefined
}

function visitSubschema(
  walk: Walk,
  holder: Node,
  role: SchemaRole,
  value: unknown,
  place: Place,
): SchemaViolation | undefined {
  if (typeof value === 'boolean') {
    const excess = add(walk.totals, 'nodes', 1)
    return excess === undefined ? undefined : violationAt(walk, undefined, excess)
  }
  if (!isObject(value)) {
    return violationAt(walk, place, 'must be a JSON Schema: an object or a boolean')
  }
  if (role === 'in_place') applyInPlace(walk, holder.schema, value)
  const pathLength = holder.pathLength + String(place?.segment).length + 1
  return visit(walk, value, place, holder.level + (role === 'nested' ? 1 : 0), pathLength)
}

function visit(
  walk: Walk,
  schema: Schema,
  place: Place,
  level: number,
  pathLength: number,
): SchemaViolation | undefined {
  if (walk.seen.has(schema)) return undefined
  if (level > SCHEMA_LEVELS_MAX) {
    return violationAt(walk, undefined, `must be at most ${SCHEMA_LEVELS_MAX} levels deep`)
  }
  const excess = add(walk.totals, 'nodes', 1)
  if (excess !== undefined) return violationAt(walk, undefined, excess)
  walk.seen.add(schema)
  walk.nodes.push({ schema, place, level, pathLength })
  return undefined
}

function applyInPlace(walk: Walk, from: Schema, to: Schema): void {
  const targets = walk.inPlace.get(from)
  if (targets === undefined) walk.inPlace.set(from, [to])
  else targets.push(to)
}

function placeOf(path: readonly JsonPathSegment[]): Place {
  return path.reduce<Place>((parent, segment) => ({ parent, segment }), undefined)
}

function violationAt(walk: Walk, place: Place, message: string): SchemaViolation {
  const segments: JsonPathSegment[] = []
  for (let at = place; at !== undefined; at = at.parent) segments.push(at.segment)
  return { path: formatJsonPath(segments.toReversed(), walk.path), message }
}

import assert from 'node:assert/strict'
import { checkChatRequest } from '../../../src/contract/check-chat-request.ts'
import { ApiError } from '../../../src/contract/error.ts'
import { checkJsonSchemas } from '../../../src/contract/json-schema/check-json-schemas.ts'
import { SCHEMA_KEYWORDS } from '../../../src/contract/json-schema/keywords.ts'
import { isObject } from '../../../src/lib/is-object.ts'
import { parseJson } from '../../../src/lib/parse-json.ts'
import type { Random } from '../../harness/figures/random.ts'
import { VALID_REQUESTS } from '../../prove/malformed/requests.ts'
import { leadsTo } from '../json-place.ts'
import type { FuzzTarget } from '../target.ts'

const DEPTH_MAX = 6
/** Members that every object has. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty']
const PATTERNS = [
  '^[a-z]+$',
  '(a|b)*c',
  '\\d{2,5}',
  '[^"\\\\]*',
  '(.+)+',
  'a{1000}',
  '(?:x|y)?z',
  '(?i)a',
]
const REFERENCES = [
  '#',
  '#/$defs/a',
  '#/properties/a',
  '#a',
  '#/definitions/a~1b',
  '#/items/0',
  '#/x/y',
]
const NAMES = ['a', 'b', 'a b', 'type', '$ref', 'constructor', '', 'é']
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const MESSAGES = [
  { role: 'user', content: 'x' },
  { role: 'assistant', content: null, tool_calls: [] },
  { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] },
]

/** Requests and their JSON Schemas: accepted, or rejected with a path that leads somewhere. */
export const schemaTarget: FuzzTarget = {
  seeds: VALID_REQUESTS.map((request) => Buffer.from(JSON.stringify(request))),
  dictionary: [...SCHEMA_KEYWORDS.keys(), ...INHERITED].map((name) => `"${name}":0,`),
  lengthMax: 16_384,
  ciExecutions: 150_000,
  generate: (random) => Buffer.from(JSON.stringify(randomRequest(random))),
  check(input) {
    const parsed = parseJson(input)
    if (!parsed.ok) return
    const before = JSON.stringify(parsed.value, shortenArguments)
    checkRequest(parsed.value)
    const violation = checkJsonSchemas([{ path: 'schema', schema: parsed.value }])
    if (violation !== undefined) {
      assert.match(violation.message, /^must /)
      checkPath({ schema: parsed.value }, violation.path)
    }
    const after = JSON.stringify(parsed.value, shortenArguments)
    assert.equal(after, before, 'the check changed the request')
  },
}

/** The check replaces the arguments of tool calls by their shortest form, and none by `{}`. */
function shortenArguments(name: string, value: unknown): unknown {
  if (name !== 'arguments' || typeof value !== 'string') return value
  try {
    return JSON.stringify(JSON.parse(value === '' ? '{}' : value))
  } catch {
    return value
  }
}

function checkRequest(value: unknown): void {
  try {
    checkChatRequest(value)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    assert.equal(error.status, 400)
    if (error.param === null) assert.equal(error.kind, 'invalid_json')
    else checkPath(value, error.param)
  }
}

/** The last member may be one that is missing, and a long name is shortened. */
function checkPath(value: unknown, path: string): void {
  if (path.endsWith('…')) return
  const parent = path.replace(/\.?[^.[\]]*$/, '')
  const leads = leadsTo(value, path, () => true) || leadsTo(value, parent, isObject)
  assert.ok(leads, `the path leads nowhere: ${path}`)
}

function randomRequest(random: Random): object {
  const schema = randomSchema(random, DEPTH_MAX)
  const tool = { type: 'function', function: { name: 'f', parameters: schema } }
  const format = { type: 'json_schema', json_schema: { name: 'n', schema } }
  return {
    model: 'm',
    messages: [random.pick(MESSAGES)],
    ...(random.chance(0.5) ? { tools: [tool] } : {}),
    ...(random.chance(0.3) ? { tool_choice: random.pick(['auto', 'required', 'none']) } : {}),
    ...(random.chance(0.5) ? { response_format: format } : {}),
  }
}

function randomSchema(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.1)) return random.pick([{}, true, false, { type: 'string' }])
  const schema: Record<string, unknown> = {}
  for (let count = random.between(1, 4); count > 0; count -= 1) {
    const keyword = random.pick([...SCHEMA_KEYWORDS.keys()])
    schema[keyword] = randomValue(random, keyword, depth)
  }
  // A schema that only a reference reaches.
  if (random.chance(0.1)) schema['x'] = { y: randomSchema(random, depth - 1) }
  return schema
}

function randomValue(random: Random, keyword: string, depth: number): unknown {
  const inner = () => randomSchema(random, depth - 1)
  if (random.chance(0.05)) return random.pick([null, 0, 'x', [], {}, -1, 1e9])
  const known = SCHEMA_KEYWORDS.get(keyword)
  switch (known?.kind) {
    case 'schema':
      return known.array === 'must' ? [inner(), inner()] : inner()
    case 'map': {
      const names = known.names === 'pattern' ? PATTERNS : NAMES
      return { [random.pick(names)]: inner(), [random.pick(names)]: inner() }
    }
    case 'count':
      return random.pick([0, 1, 5, 1000])
    case 'type':
      return random.chance(0.7) ? random.pick(TYPES) : [random.pick(TYPES), 'null']
    case 'enum':
      return ['a', 1, null, { b: [] }]
    case 'pattern':
      return random.pick(PATTERNS)
    case 'reference':
      return random.pick(REFERENCES)
    case 'names':
      return [random.pick(NAMES)]
    case 'name_lists':
      return { [random.pick(NAMES)]: ['a'] }
    case 'number':
    case 'positive':
      return random.pick([1, 0.5, -3, 1e300])
    case 'boolean':
      return random.chance(0.5)
    case 'draft':
      return 'https://json-schema.org/draft/2020-12/schema'
    case 'const':
    case 'id':
    case 'anchor':
    case 'string':
    case undefined:
      return random.pick(NAMES)
  }
}

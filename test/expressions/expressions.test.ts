import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigSchema } from '../../src/config/schema.ts'
import { findPatternViolation } from '../../src/contract/json-schema/pattern.ts'
import { createNeutralise } from '../../src/engines/adapters/neutralise.ts'
import { attackExpression, runOf, shapesOf, type Attack } from './attack-expression.ts'
import { findExpressions, findLuaPatterns } from './find-expressions.ts'

const ROOT = new URL('../../', import.meta.url).pathname
const LENGTH = 1_048_576
const CPU_MS_MAX = 50

/** Slow expressions whose text is always short, and why it is. */
const SHORT_TEXTS: Readonly<Record<string, string>> = {
  'src/tenancy/money/amount.ts /0+$/': 'the six decimals of an amount',
}

/** The expressions that a file makes at run time, and how their worst case is tested. */
const BUILT: Readonly<Record<string, string>> = {
  'src/config/load.ts': 'with those of the configuration, below',
  'src/config/schema-nodes.ts': 'with those of the configuration, below',
  'src/contract/json-schema/pattern-syntax.ts': 'with the patterns of clients, below',
  'src/engines/adapters/neutralise.ts': 'with control tokens, below',
  'src/engines/adapters/template-tokens.ts': 'as one that is written out',
  'src/engines/adapters/vocabulary.ts': 'not at all: a token has at most 128 characters',
  'src/platform/web/read-docs.ts': 'as one that is written out',
  'src/store/postgres/partitions.ts': 'not at all: a name in PostgreSQL has at most 63 bytes',
}

const files = globSync('src/**/*.{ts,lua}', { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(ROOT + path, 'utf8') }))
const found = files
  .filter(({ path }) => path.endsWith('.ts'))
  .map(({ path, text }) => findExpressions(path, text))
const written = found.flatMap((each) => each.written)

function attack(expression: RegExp): Attack {
  return attackExpression(runOf(expression), shapesOf(expression), LENGTH, CPU_MS_MAX)
}

function assertFast({ cpuMs, length, text }: Attack, what: string): void {
  const shape = JSON.stringify(text)
  assert.ok(cpuMs <= CPU_MS_MAX, `${what}: ${cpuMs} ms for ${length} characters, ${shape}`)
}

test('every expression in src/ takes at most 50 ms for any megabyte', () => {
  assert.ok(written.length > 50, `only ${written.length} were found`)
  const excused = new Set<string>()
  for (const { path, line, expression } of written) {
    const name = `${path} ${String(expression)}`
    if (Object.hasOwn(SHORT_TEXTS, name)) excused.add(name)
    else assertFast(attack(expression), `${path}:${line} ${String(expression)}`)
  }
  assert.deepEqual([...excused], Object.keys(SHORT_TEXTS), 'an excuse without its expression')
})

test('every expression that is made at run time has a test', () => {
  const paths = new Set(found.flatMap(({ built }) => built.map(({ path }) => path)))
  assert.deepEqual([...paths].toSorted(), Object.keys(BUILT))
})

test('the expressions of the configuration are fast', () => {
  const patterns = new Set<string>()
  JSON.stringify(ConfigSchema, (key, value: unknown) => {
    if (key === 'pattern') patterns.add(value as string)
    if (key === 'patternProperties')
      for (const name of Object.keys(value as object)) patterns.add(name)
    return value
  })
  assert.ok(patterns.size > 5)
  for (const pattern of patterns) assertFast(attack(new RegExp(pattern, 'u')), pattern)
})

test('control tokens are found in linear time, whatever the text', () => {
  const tokens = ['<|im_end|>', '[e~[', ']~b]', '<seed:bos>', '<aaaaaaaa>']
  const neutralise = createNeutralise(tokens)
  const common = /<\|[^<>|\s]{1,64}\|>|<｜[^<>｜\s]{1,64}｜>|<\/?s>|\[\/?INST\]|<\/?think>/
  const shapes = [common, ...tokens.map((token) => new RegExp(RegExp.escape(token)))].flatMap(
    shapesOf,
  )
  // A megabyte of prompt is slower than one search, but as linear: so a quarter of it.
  assertFast(attackExpression(neutralise, shapes, LENGTH / 4, CPU_MS_MAX), 'neutralise')
})

test('the patterns of clients are checked in linear time', () => {
  const shapes = written
    .filter(({ path }) => path.startsWith('src/contract/json-schema/'))
    .flatMap(({ expression }) => shapesOf(expression))
  // Patterns have at most 256 characters.
  assertFast(attackExpression(findPatternViolation, shapes, 256, CPU_MS_MAX), 'patterns')
})

/** No repetition can match what follows it, so there is one way to match a text. */
const LINEAR_LUA_PATTERNS = new Set([
  '%d+',
  '^%S+',
  '(%d+):(-?%d+)',
  'run_id:(%w+)',
  ' ([^:]+):(%d+):([^:]+):(%d)',
  '^(%d+) (%d+) (%S+) (%S+) (%S+)(.*)$',
])

test('Lua patterns repeat nothing that could match in several ways', () => {
  const patterns = files.flatMap(({ text }) => findLuaPatterns(text))
  assert.ok(patterns.length > 0)
  for (const pattern of patterns)
    if (!LINEAR_LUA_PATTERNS.has(pattern)) assert.doesNotMatch(pattern, /[*+?]|(?<!%)-/, pattern)
})

const SLOW = [
  /\n+$/,
  /\s*,\s*/,
  /^(\w|\d)+$/,
  /^(.*,)*x/,
  /.*.*=.*/,
  /(?:<[^>]*>)+!$/,
  /-{2}[^]*?-{2}>/,
]

for (const expression of SLOW) {
  test(`a slow expression is found: ${String(expression)}`, () => {
    assert.ok(attack(expression).cpuMs > CPU_MS_MAX)
  })
}

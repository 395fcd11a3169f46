// Merges headrace.yaml and the environment into one checked configuration. All problems are
// reported together, without values: a misplaced secret would otherwise end up in a log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Check } from 'typebox/schema'
import { isMap, isNode, LineCounter, parseDocument, type Document } from 'yaml'
import { isObject } from '../lib/is-object.ts'
import type { SchemaNode } from './schema-nodes.ts'
import { checkReferences, suggest, type Draft, type Path, type Report } from './references.ts'
import { ConfigSchema, VariableName, type Config } from './schema.ts'
import { hintAtRemoved, removedVariables } from './removed-settings.ts'
import { SECRETS_OF, type SecretReader } from './secrets-of.ts'

export type { Config } from './schema.ts'

const ALIASES_MAX = 100
const MISSING = 'is missing'
const ROOT: SchemaNode = ConfigSchema as object

type Environment = Readonly<Record<string, string | undefined>>
type Tree = Record<string, unknown>
type Context = {
  readonly settings: Tree
  readonly environment: Environment
  /** Rendered path → the variable of its value; '' if its problem is already reported. */
  readonly origins: Map<string, string>
  readonly inFile: Report
  readonly inEnvironment: (text: string) => void
}
type Problem = { readonly line: number; readonly text: string }

export class ConfigError extends Error {
  // EX_CONFIG of sysexits.h, so that a supervisor can tell it from a crash and need not restart.
  readonly exitCode = 78
  readonly problems: readonly string[]
  override readonly name = 'ConfigError'
  constructor(problems: readonly string[]) {
    super(['Invalid configuration:', ...problems].join('\n  '))
    this.problems = problems
  }
}

/**
 * The only reader of the process's environment. `defaults` apply to unset variables. Without a
 * reader all secrets are read, and the keys of all engines must be set.
 */
export function loadConfigFromProcess(
  reader?: SecretReader,
  defaults: Readonly<Record<string, string>> = {},
): Config {
  const file = process.env['HEADRACE_CONFIG'] || './headrace.yaml'
  return loadConfig({ file, environment: { ...defaults, ...process.env } }, reader)
}

/** The environment of a child process, with these settings of ours changed. */
export function childEnvironment(changes: Readonly<Record<string, string>>): Environment {
  return { ...process.env, ...changes }
}

/** The variables of ours that are set, and those with these names. Each may be read from a file. */
export function ownVariables(names: readonly string[]): Record<string, string> {
  const isOwn = (name: string) =>
    name.startsWith('HEADRACE_') || names.includes(name.replace(/_FILE$/, ''))
  const set = Object.entries(process.env).filter(([name]) => isOwn(name))
  return Object.fromEntries(set.map(([name, value = '']) => [name, value]))
}

type Source = { readonly file: string; readonly environment: Environment }

export function loadConfig(source: Source, reader?: SecretReader) {
  const problems: Problem[] = []
  const { tree, lineOf } = readTree(source.file, problems)
  const settings: Tree = { ...tree }
  const origins = new Map<string, string>()
  const inFile: Report = (path, problem, name = render(path)) => {
    const line = lineOf(path)
    // Without a readable file every setting would be reported as missing.
    if (tree) problems.push({ line, text: `${source.file}:${line} ${name} ${problem}` })
  }
  const inEnvironment = (text: string) => void problems.push({ line: Infinity, text })
  const context = { settings, environment: source.environment, origins, inFile, inEnvironment }
  addSecrets(context, reader)
  addOverrides(context)
  const reported = new Set<string>()
  const report: Report = (path, problem, name) => {
    // A value that was rejected is not there for the rules between settings.
    if (problem === MISSING && reported.has(render(path))) return
    reported.add(render(path))
    const variable = origins.get(render(path)) ?? origins.get(render(path.slice(0, -1)))
    if (variable === undefined) inFile(path, problem, name)
    else if (variable) inEnvironment(`${variable} ${problem === MISSING ? 'is not set' : problem}`)
  }
  const draft = complete(ROOT, settings, [], report)
  checkReferences(draft as Draft<Config>, report)
  const texts = problems.toSorted((a, b) => a.line - b.line).map(({ text }) => text)
  if (texts.length > 0) throw new ConfigError([...new Set(texts)])
  assert(Check(ConfigSchema, draft), 'a completed configuration must match its schema')
  return draft as Config
}

function readTree(file: string, problems: Problem[]) {
  const lines = new LineCounter()
  const reject = (line: number, problem: string) => {
    problems.push({ line, text: `${file}${line > 0 ? `:${line}` : ''} ${problem}` })
    return { tree: undefined, lineOf: () => 0 }
  }
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return reject(0, `cannot be read (${errorCode(error)})`)
  }
  const options = { schema: 'core', resolveKnownTags: false, stringKeys: true } as const
  const document = parseDocument(text, { ...options, prettyErrors: false, lineCounter: lines })
  // The parser's messages quote the file, so only its codes are printed.
  const [rejected] = [...document.errors, ...document.warnings].map(({ code, pos }) => {
    const problem = code === 'DUPLICATE_KEY' ? 'has a duplicate key' : `is not valid YAML (${code})`
    return reject(lines.linePos(pos[0]).line, problem)
  })
  if (rejected) return rejected
  if (document.directives.yaml.version !== '1.2') return reject(1, 'must be YAML 1.2')
  try {
    const tree: unknown = document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {}
    if (!isObject(tree)) return reject(1, 'must be a mapping')
    return { tree, lineOf: (path: Path) => lines.linePos(offsetOf(document, path)).line }
  } catch {
    return reject(1, `has unresolved or more than ${ALIASES_MAX} aliases`)
  }
}

/** Offset of the setting, or of its innermost ancestor that is in the file. */
function offsetOf(document: Document.Parsed, path: Path): number {
  const around = document.getIn(path.slice(0, -1), true)
  const pair = isMap(around) ? around.items.find(({ key }) => String(key) === path.at(-1)) : null
  const node = pair?.key ?? document.getIn(path, true)
  if (isNode(node) && node.range) return node.range[0]
  return path.length > 0 ? offsetOf(document, path.slice(0, -1)) : 0
}

function readSecret(context: Context, holder: Tree, path: Path, name?: string) {
  const { environment, origins, inEnvironment } = context
  const key = String(path.at(-1))
  if (Object.hasOwn(holder, key))
    context.inFile(path, 'is a secret: set it in the environment instead')
  delete holder[key]
  if (name === undefined) return undefined
  const { [name]: value, [`${name}_FILE`]: file } = environment
  origins.set(render(path), file ? `${name}_FILE` : name)
  if (value && file) inEnvironment(`${name} and ${name}_FILE are both set: set only one`)
  if (!file) return value || undefined
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    inEnvironment(`${name}_FILE cannot be read (${errorCode(error)})`)
    origins.set(render(path), '')
    return undefined
  }
}

function addSecrets(context: Context, reader?: SecretReader): void {
  const { settings, origins, inFile } = context
  const names: readonly string[] | undefined = reader && SECRETS_OF[reader]
  const uses = (name: string) => names?.includes(name) ?? true
  for (const [key, { type, environment }] of Object.entries(ROOT.properties ?? {})) {
    if (environment === undefined) continue
    const secret = readSecret(context, settings, [key], uses(key) ? environment : undefined)
    if (secret) settings[key] = type === 'array' ? readList(secret) : secret
  }
  if (!Array.isArray(settings['engines'])) return
  settings['engines'] = settings['engines'].map((entry: unknown, index) => {
    if (!isObject(entry)) return entry
    const engine = { ...entry }
    const name = engine['api_key_env']
    const path = ['engines', index, 'api_key']
    const named = Check(VariableName, name) && uses('engines')
    const secret = readSecret(context, engine, path, named ? name : undefined)
    if (secret) engine['api_key'] = secret
    // The name is not printed: it may be a key that was entered here by mistake.
    else if (named && origins.get(render(path)))
      inFile(['engines', index, 'api_key_env'], 'is the name of a variable that is not set')
    return engine
  })
}

/** Sections whose settings a variable can set, so that one file serves several installations. */
export const OVERRIDABLE = ['api', 'worker', 'console']

/** A variable can set a scalar or a list of texts. */
export function isOverridable({ type, items }: SchemaNode): boolean {
  return type === 'array' ? items?.type === 'string' : type !== 'object'
}

/** Settings of an engine that a variable can set: where it is and what it is. */
export const OVERRIDABLE_OF_ENGINES = ['kind', 'url', 'slots', 'model_name', 'prompt_cache']

function addOverrides(context: Context): void {
  const { settings } = context
  for (const problem of removedVariables(context.environment)) context.inEnvironment(problem)
  for (const group of OVERRIDABLE) {
    const { [group]: inFile = {} } = settings
    const { properties = {} } = ROOT.properties?.[group] ?? {}
    if (isObject(inFile))
      settings[group] = override(context, inFile, properties, { path: [group], prefix: group })
  }
  if (!Array.isArray(settings['engines'])) return
  const { properties = {} } = ROOT.properties?.['engines']?.items ?? {}
  const some = Object.fromEntries(OVERRIDABLE_OF_ENGINES.map((key) => [key, properties[key] ?? {}]))
  settings['engines'] = settings['engines'].map((engine: unknown, index) => {
    if (!isObject(engine) || typeof engine['name'] !== 'string') return engine
    const prefix = `engines_${engine['name'].replaceAll(/[^A-Za-z0-9]/g, '_')}`
    return override(context, engine, some, { path: ['engines', index], prefix })
  })
}

function override(
  { environment, origins }: Context,
  inFile: Tree,
  properties: Readonly<Record<string, SchemaNode>>,
  { path, prefix }: { readonly path: Path; readonly prefix: string },
): Tree {
  const overrides: Tree = {}
  for (const [key, schema] of Object.entries(properties)) {
    const variable = `HEADRACE_${prefix}_${key}`.toUpperCase()
    const value = environment[variable]
    if (!value || !isOverridable(schema)) continue
    origins.set(render([...path, key]), variable)
    overrides[key] = schema.type === 'array' ? readList(value) : readScalar(schema.type, value)
  }
  return { ...inFile, ...overrides }
}

function readList(value: string): string[] {
  return value.split(',').map((entry) => entry.trim())
}

/** An unreadable value stays a string, which the schema then rejects. */
function readScalar(type: string | undefined, value: string): unknown {
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return type !== 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
}

/** Fills in defaults; reports and omits values that violate the schema. */
function complete(schema: SchemaNode, value: unknown, path: Path, report: Report): unknown {
  const wrong = () => report(path, `must be ${schema.expected}`)
  const [[pattern, entrySchema] = []] = Object.entries(schema.patternProperties ?? {})
  if (schema.properties)
    return isObject(value) ? completeTree(schema, value, path, report) : wrong()
  if (pattern !== undefined && entrySchema) {
    if (!isObject(value)) return wrong()
    const entries = Object.entries(value).map(([key, entry]) => {
      if (!new RegExp(pattern).test(key)) report([...path, key], `must have ${schema.keys}`)
      return [key, complete(entrySchema, entry, [...path, key], report)]
    })
    return Object.fromEntries(entries)
  }
  if (schema.items === undefined) return Check(schema, value) ? value : wrong()
  if (!Array.isArray(value) || value.length < (schema.minItems ?? 0)) return wrong()
  const { items, uniqueBy } = schema
  const repeated = uniqueBy ? `has a duplicate ${uniqueBy}` : 'is a duplicate'
  const seen = new Set<unknown>()
  return value.map((entry: unknown, index) => {
    const completed = complete(items, entry, [...path, index], report)
    const identity = uniqueBy && isObject(completed) ? completed[uniqueBy] : completed
    if (identity !== undefined && seen.has(identity)) report([...path, index], repeated)
    seen.add(identity)
    return completed
  })
}

function completeTree(schema: SchemaNode, value: Tree, path: Path, report: Report): Tree {
  const { properties = {}, required = [] } = schema
  const completed: Tree = {}
  const known = Object.keys(properties).filter((name) => !properties[name]?.secret)
  for (const key of Object.keys(value).filter((name) => !Object.hasOwn(properties, name))) {
    // A key that resembles no setting may be part of an unquoted secret, so it is not printed.
    const hint = hintAtRemoved([...path, key]) || suggest(key, known)
    if (hint) report([...path, key], `is not a known setting${hint}`)
    else report([...path, key], 'has an unknown setting', render(path) || 'the file')
  }
  for (const [key, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, key) ? value[key] : property.default
    if (given !== undefined) completed[key] = complete(property, given, [...path, key], report)
    else if (required.includes(key)) report([...path, key], MISSING)
    if (completed[key] === undefined) delete completed[key]
  }
  return completed
}

function render(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return `.${/^[\w/-]+$/.test(step) ? step : JSON.stringify(step)}`
  })
  return steps.join('').slice(1)
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unreadable'
}

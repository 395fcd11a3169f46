// Writes docs/configuration.md and .env.example from the schema of the configuration.
//   node docs/generate-configuration.ts           writes both
//   node docs/generate-configuration.ts --check   exits 1 when a committed file differs
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { SchemaNode } from '../src/config/schema-nodes.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { isOverridable, OVERRIDABLE, OVERRIDABLE_OF_ENGINES } from '../src/config/load.ts'
import { SECRETS_OF } from '../src/config/secrets-of.ts'

const ROOT: SchemaNode = ConfigSchema as object
const KEY_COMMAND = "node -p \"require('node:crypto').randomBytes(32).toString('base64url')\""
const PROCESSES = ['api', 'worker', 'console', 'migrate'] as const

type Setting = {
  readonly name: string
  readonly schema: SchemaNode
  readonly required: boolean
}

/** The text of every generated file, by its path from the root of the project. */
export function generateConfiguration(): Record<string, string> {
  return { 'docs/configuration.md': renderPage(), '.env.example': renderExample() }
}

/** The leaves of a schema, with dotted names; without secrets, which are not in the file. */
function settingsOf(schema: SchemaNode, prefix: string): Setting[] {
  const entry = schema.items?.properties ? schema.items : undefined
  if (entry) return settingsOf(entry, `${prefix}[]`)
  const [plan] = Object.values(schema.patternProperties ?? {})
  if (plan) return settingsOf(plan, `${prefix}.<name>`)
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    if (property.secret || property.environment) return []
    const name = prefix === '' ? key : `${prefix}.${key}`
    const below = settingsOf(property, name)
    const required = property.default === undefined && (schema.required ?? []).includes(key)
    return below.length > 0 ? below : [{ name, schema: property, required }]
  })
}

function overridableSettings(): Setting[] {
  const settings = OVERRIDABLE.flatMap((group) => settingsOf(ROOT.properties?.[group] ?? {}, group))
  // A setting below a mapping has a second dot.
  return settings.filter(({ name, schema }) => isOverridable(schema) && !/\..*\./.test(name))
}

function variableOf(name: string): string {
  return `HEADRACE_${name.replace('.', '_').toUpperCase()}`
}

function secretVariables(): [string, SchemaNode, boolean, string][] {
  return Object.entries(ROOT.properties ?? {}).flatMap(([key, schema]) => {
    const required = schema.default === undefined && (ROOT.required ?? []).includes(key)
    return schema.environment ? [[schema.environment, schema, required, key]] : []
  })
}

function secretRows(): string[] {
  const rows = secretVariables().map(([name, schema, required, key]) => {
    const { expected = '', description = '' } = schema
    return row([`\`${name}\``, required ? 'yes' : 'no', readersOf(key), expected, description])
  })
  return [...head('Variable', 'Required', 'Read by', 'Must be', 'Meaning'), ...rows]
}

/** The processes that read a secret. */
function readersOf(setting: string): string {
  const readers = PROCESSES.filter((name) => SECRETS_OF[name].some((each) => each === setting))
  return readers.length === PROCESSES.length ? 'all' : readers.join(', ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function head(...names: string[]): string[] {
  return [row(names), row(names.map(() => '---'))]
}

function table(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, schema, required }) => {
    const initial = schema.default === undefined ? '–' : `\`${JSON.stringify(schema.default)}\``
    const value = required ? '**required**' : initial
    return row([`\`${name}\``, value, schema.expected ?? '', schema.description ?? ''])
  })
  return [...head('Setting', 'Default', 'Must be', 'Meaning'), ...rows].join('\n')
}

function renderPage(): string {
  const sections = Object.entries(ROOT.properties ?? {}).flatMap(([key, schema]) => {
    if (schema.environment) return []
    const below = settingsOf(schema, key)
    const required = schema.default === undefined && (ROOT.required ?? []).includes(key)
    const settings = below.length > 0 ? below : [{ name: key, schema, required }]
    const description = schema.items?.description ?? schema.description
    return [`### ${key}\n\n${description}\n\n${table(settings)}`]
  })
  const overrides = overridableSettings().map(({ name }) =>
    row([`\`${variableOf(name)}\``, `\`${name}\``]),
  )
  return `<!-- Generated from src/config/schema.ts by docs/generate-configuration.ts. -->

# Configuration

Settings are in one file, \`headrace.yaml\`; secrets are in the environment. Both are checked when
a command starts. If anything is invalid, the command prints all problems, each with its line or
its variable, and exits with code 78. Invalid values are never printed, because they may be
misplaced secrets.

The file is YAML 1.2 (core schema). Unknown settings, duplicate keys and custom tags are rejected.
Set \`HEADRACE_CONFIG\` to use a file other than \`./headrace.yaml\`.

## The file

${sections.join('\n\n')}

Rules between settings:

- Engine names and model ids are unique. Every reference to an engine, a model or a plan must exist.
  An engine may be used by no model.
- \`default_parameters.max_tokens\` ≤ \`max_output_tokens\` ≤ \`context_length\`.
- A model with a price needs a \`context_length\`, because the maximum cost of a request is reserved
  before it runs. A plan with \`billing: prepaid\` or \`postpaid\` needs a price for each of its
  models, from the plan or from the model; 0 is allowed. A plan with \`billing: none\` must not have
  prices.
- \`api.port\` and \`api.health_port\` must differ. \`api.cors_origins\` is either \`['*']\` or
  a list of origins.

## The environment

An empty variable is treated as not set.

### Secrets

Each secret can also be read from a file: set \`HEADRACE_DATABASE_URL_FILE\` to its path. One
trailing newline is removed. Setting both variables is an error. A process reads only its own: it
needs no others, and has none of them in memory. Commands read all, except those that ask no engine:
they do without the keys of engines.

${secretRows().join('\n')}

The API keys of engines are in the variables named by \`engines[].api_key_env\`. They can also be
read from files (\`NAME_FILE\`). api and worker read them: there a named variable that is not set is
an error.

Generate a signing or encryption key: \`${KEY_COMMAND}\`

### Overrides

These variables override the file. They can also set what the file leaves out. Entries of a list are
separated by commas.

${[...head('Variable', 'Setting'), ...overrides].join('\n')}

${renderOverrideNotes()}
`
}

function renderOverrideNotes(): string {
  const keys = OVERRIDABLE_OF_ENGINES.map((key) => `\`${key}\``).join(', ')
  return `Of an engine, \`HEADRACE_ENGINES_<NAME>_<SETTING>\` overrides one of these settings:
${keys}. The name is in capital letters, and each
character that is neither letter nor digit is \`_\`: \`HEADRACE_ENGINES_GPU_1_URL\` is the \`url\`
of \`gpu-1\`.

On Kubernetes, a Service named \`headrace-api\` sets \`HEADRACE_API_PORT\` to a value such as
\`tcp://10.0.0.7:8080\` in every pod of its namespace, which is rejected as a port; so does one
named \`headrace-console\`. Set \`enableServiceLinks: false\` on the pod, or rename the Service.`
}

function renderExample(): string {
  const lines = [
    '# Generated by docs/generate-configuration.ts. Copy to .env and edit.',
    '# Every secret can also be read from a file: NAME_FILE=/path/to/file instead of NAME=value.',
    '',
    '# The configuration file.',
    '# HEADRACE_CONFIG=./headrace.yaml',
  ]
  for (const [name, { description, expected, example }, required] of secretVariables()) {
    lines.push('', `# ${description}`, `# Must be ${expected}.`)
    if (example === undefined) lines.push(`# Generate one: ${KEY_COMMAND}`)
    lines.push(`${required ? '' : '# '}${name}=${example ?? ''}`)
  }
  for (const { name, api_key_env } of demoEngines()) {
    if (api_key_env) lines.push('', `# API key of the engine ${name}.`, `${api_key_env}=change-me`)
  }
  lines.push('', '# Overrides of settings in the file, with their defaults.')
  for (const { name, schema } of overridableSettings()) {
    const { default: initial = '' }: { default?: unknown } = schema
    lines.push(`# ${variableOf(name)}=${String(initial)}`)
  }
  return `${lines.join('\n')}\n`
}

function demoEngines(): { readonly name: string; readonly api_key_env?: string }[] {
  const text = readFileSync(new URL('../headrace.yaml', import.meta.url), 'utf8')
  return (parse(text) as { engines: { name: string; api_key_env?: string }[] }).engines
}

function main(): void {
  for (const [path, text] of Object.entries(generateConfiguration())) {
    const file = new URL(`../${path}`, import.meta.url)
    if (!process.argv.includes('--check')) {
      writeFileSync(file, text)
    } else if (readFileSync(file, 'utf8') !== text) {
      console.error(`${path} differs: run node docs/generate-configuration.ts`)
      process.exitCode = 1
    }
  }
}

if (import.meta.main) main()

// Writes docs/configuration.md and .env.example from the schema of the configuration.
//   node docs/generate-configuration.ts           writes both
//   node docs/generate-configuration.ts --check   exits 1 when a committed file differs
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { SchemaNode } from '../src/config/schema-nodes.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { OVERRIDABLE } from '../src/config/load.ts'

const ROOT: SchemaNode = ConfigSchema as object
const KEY_COMMAND = "node -p \"require('node:crypto').randomBytes(32).toString('base64url')\""

type Setting = {
  readonly name: string
  readonly schema: SchemaNode
  readonly required: boolean
}

/** The text of every generated file, by its path from the root of the project. */
export function generateConfiguration(): Record<string, string> {
  return { 'docs/configuration.md': renderPage(), '.env.example': renderExample() }
}

/** Leaves below a schema, with dotted names; secrets are no settings of the file. */
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
  return settings.filter(({ schema }) => schema.type !== 'array')
}

function variableOf(name: string): string {
  return `HEADRACE_${name.replace('.', '_').toUpperCase()}`
}

function secretVariables(): [string, SchemaNode, boolean][] {
  return Object.entries(ROOT.properties ?? {}).flatMap(([key, schema]) => {
    const required = (ROOT.required ?? []).includes(key)
    return schema.environment ? [[schema.environment, schema, required]] : []
  })
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
  const secrets = secretVariables().map(([name, schema, required]) =>
    row([`\`${name}\``, required ? 'yes' : 'no', schema.expected ?? '', schema.description ?? '']),
  )
  const overrides = overridableSettings().map(({ name }) =>
    row([`\`${variableOf(name)}\``, `\`${name}\``]),
  )
  return `<!-- Written by docs/generate-configuration.ts from src/config/schema.ts: edit those. -->

# Configuration

What an operator decides stands in one file, \`headrace.yaml\`; what must stay secret comes from the
environment. Both are checked together when a command starts. All faults are printed at once, each
with its line or its variable, and the command ends with exit code 78. A fault never repeats the
value that is wrong, because it may be a secret in the wrong place.

The file is YAML 1.2 (core schema). Unknown settings, repeated keys and foreign tags are faults.
\`HEADRACE_CONFIG\` names another file than \`./headrace.yaml\`.

## The file

${sections.join('\n\n')}

Besides what the tables say:

- Names of engines and ids of models are unique; every name that refers to an engine, a model or a
  plan must exist. An engine may serve no model.
- \`default_parameters.max_tokens\` ≤ \`max_output_tokens\` ≤ \`context_length\`.
- A model with a price has a \`context_length\`: the worst case of a request is set aside before it
  runs. A plan with \`billing: prepaid\` or \`postpaid\` has a price for each of its models, its own
  or the model's; 0 is a price. Prices under \`billing: none\` are a fault.
- \`api.port\` and \`api.health_port\` differ, and \`'*'\` in \`api.cors_origins\` stands alone.

## The environment

An empty variable counts as not set.

### Secrets

Each can also be given as a file: \`HEADRACE_DATABASE_URL_FILE\` holds the path of a file with the
value, and one newline at its end is dropped. Set one of the two, not both.

${[...head('Variable', 'Required', 'Must be', 'Meaning'), ...secrets].join('\n')}

The variables that \`engines[].api_key_env\` names hold the keys of engines. They too can be files
(\`NAME_FILE\`), and one that is named but not set is a fault.

A new key to sign or to encrypt with: \`${KEY_COMMAND}\`

### Overrides

These win over the file.

${[...head('Variable', 'Setting'), ...overrides].join('\n')}

On Kubernetes a Service called \`headrace-api\` makes the cluster set \`HEADRACE_API_PORT\` to
something like \`tcp://10.0.0.7:8080\` in every pod of its namespace, which is refused as a port.
Set \`enableServiceLinks: false\` on the pod, or give the Service another name.
`
}

function renderExample(): string {
  const lines = [
    '# Written by docs/generate-configuration.ts. Copy to .env and change what differs.',
    '# Every secret can also be a file: NAME_FILE=/path/to/file in place of NAME=value.',
    '',
    '# The configuration file.',
    '# HEADRACE_CONFIG=./headrace.yaml',
  ]
  for (const [name, { description, expected, example }] of secretVariables()) {
    lines.push('', `# ${description}`, `# Must be ${expected}.`)
    if (example === undefined) lines.push(`# Make one: ${KEY_COMMAND}`)
    lines.push(example === undefined ? `# ${name}=` : `${name}=${example}`)
  }
  for (const { name, api_key_env } of demoEngines()) {
    if (api_key_env) lines.push('', `# Key of the engine ${name}.`, `${api_key_env}=change-me`)
  }
  lines.push('', '# Settings of the file that can be overridden here.')
  for (const { name, schema } of overridableSettings())
    lines.push(`# ${variableOf(name)}=${String(schema.default)}`)
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

// The Helm chart agrees with the rest of the repository. `npm run prove -- kubernetes` installs it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { Check } from 'typebox/schema'
import { parse } from 'yaml'
import type { SchemaNode } from '../src/config/schema-nodes.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { SECRETS_OF } from '../src/config/secrets-of.ts'
import { checkJsonSchemas } from '../src/contract/json-schema/check-json-schemas.ts'
import { isObject } from '../src/lib/is-object.ts'

const ROOT = resolve(import.meta.dirname, '..')
const CHART = 'deploy/chart/headrace'

type Tree = Record<string, unknown>
type Schema = { readonly properties?: Record<string, Schema>; readonly [keyword: string]: unknown }

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8')
}

/** As Helm does: objects are merged, everything else is replaced. */
function merge(base: Tree, over: Tree): Tree {
  const merged = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return merged
}

const SCHEMA = JSON.parse(read(`${CHART}/values.schema.json`)) as Schema
const DEFAULTS = parse(read(`${CHART}/values.yaml`)) as Tree
const EVERYTHING = parse(read('deploy/chart/ci-values.yaml')) as Tree
const REQUIRED = { existingSecret: 'headrace', config: { engines: [] } }

function accepts(over: Tree): boolean {
  return Check(SCHEMA, merge(DEFAULTS, over))
}

/** Places of objects that accept any key. Kubernetes defines these, or headrace.yaml. */
function findOpen(schema: Schema, path = ''): string[] {
  const open = schema['type'] === 'object' && schema['additionalProperties'] !== false
  const below = Object.entries(schema.properties ?? {})
  return [
    ...(open ? [path] : []),
    ...(open ? [] : below.flatMap(([key, property]) => findOpen(property, `${path}.${key}`))),
  ]
}

describe('the values of the chart', () => {
  test('the schema is a valid JSON Schema', () => {
    assert.equal(checkJsonSchemas([{ path: 'values.schema.json', schema: SCHEMA }]), undefined)
  })

  test('what is required is enough, and everything may be turned on', () => {
    assert.ok(accepts(REQUIRED))
    assert.ok(accepts({ existingSecret: 'headrace', existingConfigMap: 'headrace' }))
    assert.ok(accepts(EVERYTHING))
  })

  const refused: Record<string, Tree> = {
    'no Secret': { config: REQUIRED.config },
    'no configuration': { existingSecret: 'headrace' },
    'two configurations': { ...REQUIRED, existingConfigMap: 'headrace' },
    'an unknown value': { ...REQUIRED, replicas: 3 },
    'an unknown value of a process': { ...REQUIRED, api: { replica: 3 } },
    'a route without a gateway': { ...REQUIRED, httpRoute: { api: { enabled: true } } },
    'another port of the console': { ...REQUIRED, config: { console: { port: 80 } } },
  }
  for (const [what, values] of Object.entries(refused)) {
    test(`refused: ${what}`, () => assert.ok(!accepts(values)))
  }

  test('only what Kubernetes or headrace.yaml defines accepts any key', () => {
    const resources = ['.api', '.worker', '.console', '.migrate'].map((path) => `${path}.resources`)
    const maps = ['.service.annotations', '.monitoring.labels', '.podAnnotations', '.nodeSelector']
    const expected = ['.global', '.config', '.affinity', ...resources, ...maps]
    assert.deepEqual(findOpen(SCHEMA).toSorted(), expected.toSorted())
  })

  test('every value has a default in values.yaml, and the schema knows it', () => {
    const documented = Object.keys(SCHEMA.properties ?? {}).filter((key) => key !== 'global')
    assert.deepEqual(Object.keys(DEFAULTS).toSorted(), documented.toSorted())
  })
})

describe('the network policy of the chart', () => {
  const template = read(`${CHART}/templates/network-policy.yaml`)

  test('it is there unless it is turned off', () => {
    assert.deepEqual(DEFAULTS['networkPolicy'], {
      enabled: true,
      monitoringNamespace: 'monitoring',
    })
    assert.match(template, /^\{\{- if \.Values\.networkPolicy\.enabled \}\}\n/)
  })

  test('everyone reaches the port of the service, and only listed pods the health port', () => {
    const { spec } = parse(template.replaceAll(/\{\{.*?\}\}/g, '')) as {
      spec: { ingress: { ports: { port: string }[]; from?: object[] }[] }
    }
    assert.deepEqual(
      spec.ingress.map(({ ports, from }) => [ports, from?.length]),
      [
        [[{ port: 'http' }], undefined],
        [[{ port: 'health' }], 2],
      ],
    )
  })
})

describe('the templates of the chart', () => {
  const templates = globSync(`${CHART}/templates/*`, { cwd: ROOT }).map(read).join('\n')

  test('every variable they set exists', () => {
    const documented = read('docs/configuration.md')
    const values = `${read(`${CHART}/values.yaml`)}\n${templates}`
    const names = new Set(values.match(/\bHEADRACE_[A-Z_]*[A-Z]/g))
    assert.ok(names.has('HEADRACE_API_LINGER_SECONDS') && names.has('HEADRACE_DATABASE_URL'))
    const unknown = [...names].filter((name) => !documented.includes(`\`${name}\``))
    assert.deepEqual(unknown, [])
  })

  test('a component has the secrets that its process reads, and no others', () => {
    const { properties = {} }: SchemaNode = ConfigSchema as object
    const [, table = ''] =
      /\$read := dict([^]*?)-\}\}/.exec(read(`${CHART}/templates/_names.tpl`)) ?? []
    for (const [component, secrets] of Object.entries(SECRETS_OF)) {
      if (component === 'command') continue
      const [, list = ''] = new RegExp(`"${component}" \\(list([^)]*)\\)`).exec(table) ?? []
      const optional = secrets
        .filter((name) => name !== 'engines' && !SECRETS_OF.migrate.some((store) => store === name))
        .map((name) => properties[name]?.environment ?? '')
      assert.deepEqual((list.match(/\w+/g) ?? []).toSorted(), optional.toSorted(), component)
      const asksEngines = /\$asksEngines := has \.component \(list(.*)\)/.exec(templates)?.[1]
      assert.equal(
        asksEngines?.includes(`"${component}"`),
        secrets.some((name) => name === 'engines'),
      )
    }
  })

  test('their ports are the defaults of the console, which no variable sets', () => {
    const [ports = ''] = /dict "http" 8081 "health" 9092/.exec(templates) ?? []
    const [port, healthPort] = ports.match(/\d+/g) ?? []
    const documented = read('docs/configuration.md')
    assert.match(documented, new RegExp(`\`console.port\` \\| \`${port}\``))
    assert.match(documented, new RegExp(`\`console.health_port\` \\| \`${healthPort}\``))
  })
})

test('the version of the chart is the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const chart = parse(read(`${CHART}/Chart.yaml`)) as Tree
  assert.deepEqual([chart['version'], chart['appVersion']], [version, version])
})

test('the alert rules and dashboards of the chart are those of deploy/monitoring', () => {
  const sources = globSync('deploy/monitoring/{headrace.rules.yaml,**/*.json}', { cwd: ROOT })
  const contents = (paths: readonly string[]) =>
    Object.fromEntries(paths.toSorted().map((path) => [basename(path), read(path)]))
  const copies = contents(globSync(`${CHART}/files/*`, { cwd: ROOT }))
  assert.deepEqual(copies, contents(sources), 'run npm run generate')
})

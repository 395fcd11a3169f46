// Settings that pages show are accepted by the loader of the configuration.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { ConfigError, loadConfig } from '../../src/config/load.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import { isObject } from '../../src/lib/is-object.ts'
import { readFile, readFences, readPages } from './pages.ts'

type Tree = Record<string, unknown>
type Entry = {
  readonly id?: string
  readonly name?: string
  readonly engines?: unknown
  readonly fallback?: readonly string[]
  readonly api_key_env?: string
}

const SECTIONS = Object.keys((ConfigSchema as unknown as { properties: object }).properties)
const LIMITS = {
  requests_per_minute: 60,
  requests_per_day: 5_000,
  tokens_per_minute: 40_000,
  tokens_per_day: 1_000_000,
}

/** Settings of headrace.yaml in a block, which may be the value `config` of the chart. */
function settingsIn(block: string): Tree | undefined {
  const content: unknown = parse(block)
  if (!isObject(content)) return undefined
  const settings = isObject(content['config']) ? content['config'] : content
  return Object.keys(settings).some((name) => SECTIONS.includes(name)) ? settings : undefined
}

const entriesOf = (value: unknown): Entry[] => (Array.isArray(value) ? (value as Entry[]) : [])

/** The names of engines that models refer to, by name or with a weight. */
function namedEngines(models: readonly Entry[]): string[] {
  const named = models.flatMap(({ engines }) => (Array.isArray(engines) ? engines : []))
  return [...new Set(named.map((each) => (isObject(each) ? String(each['name']) : String(each))))]
}

/** Models that a block refers to and does not show. */
function otherModels(models: readonly Entry[], engine: string | undefined): Entry[] {
  const ids = models.flatMap(({ fallback = [] }) => fallback)
  const missing = [...new Set(ids)].filter((name) => models.every(({ id }) => id !== name))
  return missing.map((id) => ({ id, owned_by: 'example', engines: [engine] }))
}

/** Adds the required sections that a block leaves out, because it is about another one. */
function complete(settings: Tree): Tree {
  const models = entriesOf(settings['models'])
  const named = models.length === 0 ? [] : namedEngines(models)
  const engine = { kind: 'vllm', url: 'http://127.0.0.1:8000', slots: 1 }
  const engines = settings['engines'] ?? named.map((name) => ({ name, ...engine }))
  const [first = { name: 'first', ...engine }] = entriesOf(engines)
  return {
    default_plan: Object.keys(settings['plans'] ?? { standard: {} })[0],
    plans: { standard: { models: 'all', limits: LIMITS } },
    ...settings,
    models:
      models.length === 0
        ? [{ id: 'example/large', owned_by: 'example', engines: [first.name] }]
        : [...models, ...otherModels(models, first.name)],
    engines: entriesOf(engines).length === 0 ? [first] : engines,
  }
}

/** What the pages leave to the environment: secrets, and in Compose the engine. */
function environmentOf(settings: Tree): Record<string, string> {
  const keys = entriesOf(settings['engines']).flatMap(({ api_key_env: name }) => name ?? [])
  const isOfCompose = entriesOf(settings['engines']).some(({ name }) => name === 'main')
  return {
    HEADRACE_DATABASE_URL: 'postgres://user:password@127.0.0.1:5432/headrace',
    HEADRACE_VALKEY_URL: 'redis://127.0.0.1:6379',
    ...Object.fromEntries(keys.map((name) => [name, 'key'])),
    ...(isOfCompose && {
      HEADRACE_ENGINES_MAIN_KIND: 'vllm',
      HEADRACE_ENGINES_MAIN_URL: 'http://host.docker.internal:8000',
      HEADRACE_ENGINES_MAIN_SLOTS: '64',
      HEADRACE_ENGINES_MAIN_MODEL_NAME: 'model',
    }),
  }
}

function findProblems(block: string): readonly string[] {
  const settings = settingsIn(block)
  if (settings === undefined) return []
  const folder = mkdtempSync(join(tmpdir(), 'headrace-settings-'))
  const file = join(folder, 'headrace.yaml')
  try {
    const whole = complete(settings)
    writeFileSync(file, stringify(whole))
    loadConfig({ file, environment: environmentOf(whole) })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const BLOCKS = readPages('*.md').flatMap(({ path, text }) =>
  readFences(text, 'yaml').map((block, at) => ({ path, block, at: at + 1 })),
)

describe('settings', () => {
  for (const { path, block, at } of BLOCKS) {
    test(`of block ${at} in ${path} are valid`, () => {
      assert.deepEqual(findProblems(block), [])
    })
  }

  test('of more than five pages were found', () => {
    const found = BLOCKS.filter(({ block }) => settingsIn(block) !== undefined)
    assert.ok(new Set(found.map(({ path }) => path)).size > 5)
  })

  test('that do not exist or have no valid value are found', () => {
    assert.match(findProblems('api:\n  prot: 80').join(), /api has an unknown setting/)
    assert.match(findProblems('config:\n  engines:\n    - name: x').join(), /kind/)
    assert.match(findProblems('models:\n  - id: a\n    engines: [b]').join(), /owned_by/)
    assert.deepEqual(findProblems('containers:\n  - name: vllm'), [])
  })
})

/** Variables of the examples and of Compose, which no process of ours reads. */
const NOT_OURS = ['HEADRACE_API_KEY', 'HEADRACE_BASE_URL', 'HEADRACE_IMAGE']

describe('variables', () => {
  const known = readFile('docs/configuration.md')
  const isKnown = (name: string) =>
    known.includes(`\`${name}\``) || NOT_OURS.includes(name) || name.endsWith('_FILE')

  for (const { path, text } of readPages('README.md', 'docs/*.md')) {
    test(`of ${path} are settings, or keys of engines that a page names`, () => {
      const names = [...text.matchAll(/\bHEADRACE_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
      const unknown = names.filter((name) => !isKnown(name) && !/_ENGINES?(?:_|$)/.test(name))
      assert.deepEqual([...new Set(unknown)], [])
    })
  }
})

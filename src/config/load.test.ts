import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { generateConfiguration } from '../../docs/generate-configuration.ts'
import {
  ENVIRONMENT,
  MINIMAL,
  SIGNING_KEY,
  problemsOf,
  folder,
  load,
  write,
} from '../../test/harness/processes/configuration.ts'
import { ConfigError, loadConfig, loadConfigFromProcess } from './load.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('all problems of a configuration are reported together, with their lines', () => {
  const environment = {
    HEADRACE_API_BODY_BYTES_MAX: '10x',
    HEADRACE_DATABASE_URL: 'mysql://user:canary-in-variable@db.example.com/headrace',
    HEADRACE_SIGNING_KEY: 'canary-in-signing-key',
  }
  const file = join(root, 'test/config/bad.yaml')
  assert.throws(
    () => loadConfig({ file, environment }),
    ({ message }: ConfigError) => {
      const golden = readFileSync(join(root, 'test/config/bad.txt'), 'utf8')
      assert.equal(`${message.replaceAll(join(root, 'test/config/'), '')}\n`, golden)
      assert.doesNotMatch(message, /canary/)
      return true
    },
  )
})

test('omitted settings have their defaults', () => {
  const { api, engines, models, plans, signing_key, ...rest } = load(MINIMAL)
  assert.deepEqual(api, {
    host: '127.0.0.1',
    port: 8080,
    health_port: 9090,
    path_segment: 'compat',
    retention_header: 'service-data-retention',
    body_bytes_max: 10_485_760,
    body_budget_bytes: 268_435_456,
    cors_origins: ['*'],
    linger_seconds: 5,
    drain_seconds: 600,
    queue_seconds: 3,
    fleet: 'main',
    probe_engines: true,
    trusted_proxies: 0,
    log_level: 'info',
    access_log: false,
    key_prefix: 'headrace',
  })
  assert.deepEqual(models[0], {
    id: 'example/large',
    owned_by: 'example',
    created: 0,
    shutdown_date: null,
    reasoning_history: 'optional',
    stop: 'ignored',
    neutralise_control_tokens: true,
    control_tokens: [],
    first_token_seconds: 120,
    idle_seconds: 60,
    total_seconds: 1800,
    aliases: [],
    fallback: [],
    engines: ['one'],
  })
  const { credentials, ignored_parameters, billing, prices } = plans['free'] ?? {}
  assert.deepEqual([credentials, billing, prices], [['api_key', 'playground'], 'none', {}])
  assert.deepEqual(ignored_parameters, [])
  assert.equal(rest.currency, 'USD')
  assert.deepEqual(rest.usage, {
    acknowledged_replicas: 0,
    keep_posted_hours: 0,
  })
  assert.deepEqual(rest.worker, {
    health_port: 9091,
    lease_seconds: 30,
    reconcile_seconds: 3600,
  })
  assert.deepEqual(rest.retention, {
    standard_days: 30,
    contributor_days: 365,
  })
  assert.deepEqual(
    [Object.keys(engines[0] ?? {}), signing_key],
    [['name', 'kind', 'url', 'slots', 'prompt_cache'], undefined],
  )
})

test('every scalar of api can be overridden from the environment', () => {
  const values = {
    host: '0.0.0.0',
    port: 81,
    health_port: 82,
    path_segment: 'vendor',
    retention_header: 'vendor-data-retention',
    body_bytes_max: 2048,
    body_budget_bytes: 65_536,
    linger_seconds: 0.2,
    drain_seconds: 0.5,
    probe_engines: false,
    trusted_proxies: 2,
    queue_seconds: 3,
    fleet: 'main',
    log_level: 'debug',
    access_log: true,
    key_prefix: '42',
  }
  const variable = (key: string) => `HEADRACE_API_${key.toUpperCase()}`
  const entries = Object.entries(values).map(([key, value]) => [variable(key), String(value)])
  const { api } = load(`api: { port: 1 }\n${MINIMAL}`, Object.fromEntries(entries))
  assert.deepEqual(api, { ...values, cors_origins: ['*'] })
})

test('worker settings can be overridden from the environment', () => {
  const { worker } = load(MINIMAL, { HEADRACE_WORKER_HEALTH_PORT: '83' })
  assert.equal(worker.health_port, 83)
  const problems = problemsOf(() => load(MINIMAL, { HEADRACE_WORKER_HEALTH_PORT: 'x' }))
  assert.deepEqual(problems, ['HEADRACE_WORKER_HEALTH_PORT must be an integer from 0 to 65535'])
})

test('scalars of console can be overridden from the environment, but not its mappings', () => {
  const text = `console: { port: 1, terms: { version: v1, url: "https://a" } }\n${MINIMAL}`
  const { console: settings } = load(text, {
    HEADRACE_CONSOLE_PUBLIC_URL: 'https://example.com',
    HEADRACE_CONSOLE_TRUSTED_PROXIES: '1',
    HEADRACE_CONSOLE_TERMS: 'v2',
  })
  const { port, public_url: publicUrl, trusted_proxies: proxies, terms } = settings
  assert.deepEqual([port, publicUrl, proxies], [1, 'https://example.com', 1])
  assert.deepEqual(terms, { version: 'v1', url: 'https://a' })
})

test('an engine is found by its name in a variable, which can set what the file leaves out', () => {
  const text = MINIMAL.replaceAll('one', 'gpu-1').replace(/url: [^,]+, /, '')
  const environment = {
    HEADRACE_ENGINES_GPU_1_URL: 'http://b:1',
    HEADRACE_ENGINES_GPU_1_SLOTS: '7',
  }
  const [engine] = load(text, { ...environment, HEADRACE_ENGINES_GPU_2_URL: 'http://c' }).engines
  assert.deepEqual([engine?.name, engine?.url, engine?.slots], ['gpu-1', 'http://b:1', 7])
  const problems = problemsOf(() =>
    load(text, { ...environment, HEADRACE_ENGINES_GPU_1_SLOTS: 'x' }),
  )
  const expected = 'must be an integer from 1 to 100000, or auto'
  assert.deepEqual(problems, [`HEADRACE_ENGINES_GPU_1_SLOTS ${expected}`])
  assert.deepEqual(
    problemsOf(() => load(text)),
    ['headrace.yaml:2 engines[0].url is missing'],
  )
})

test('a malformed variable is reported by name, and an empty one counts as not set', () => {
  for (const value of ['80x', '-1', '65536', '1e3', '8.5', ' 80', 'tcp://10.0.0.7:8080']) {
    const problems = problemsOf(() => load(MINIMAL, { HEADRACE_API_PORT: value }))
    assert.deepEqual(problems, ['HEADRACE_API_PORT must be an integer from 0 to 65535'])
  }
  assert.equal(load(MINIMAL, { HEADRACE_API_PORT: '' }).api.port, 8080)
  const unset = problemsOf(() => load(MINIMAL, { HEADRACE_VALKEY_URL: '' }))
  assert.deepEqual(unset, ['HEADRACE_VALKEY_URL is not set'])
})

test('every secret can be read from a file, without its trailing newline', () => {
  const config = load(MINIMAL.replace('slots', 'api_key_env: ONE_KEY, slots'), {
    HEADRACE_DATABASE_URL: '',
    HEADRACE_DATABASE_URL_FILE: write('database', 'postgres://db.example.com/headrace\n'),
    HEADRACE_VALKEY_URL: '',
    HEADRACE_VALKEY_URL_FILE: write('valkey', 'redis://a:1, rediss://b:2/0\r\n'),
    HEADRACE_SIGNING_KEY_FILE: write('signing', SIGNING_KEY),
    HEADRACE_CONTENT_KEY_FILE: write('content', SIGNING_KEY),
    ONE_KEY_FILE: write('engine', 'engine-key\n'),
  })
  assert.equal(config.database_url, 'postgres://db.example.com/headrace')
  assert.deepEqual(config.valkey_urls, ['redis://a:1', 'rediss://b:2/0'])
  assert.deepEqual([config.signing_key, config.content_key], [SIGNING_KEY, SIGNING_KEY])
  assert.equal(config.engines[0]?.api_key, 'engine-key')
})

test('a secret file that is unreadable, malformed or set twice is reported once', () => {
  const wrong = write('wrong', 'canary\n')
  const environment = {
    HEADRACE_DATABASE_URL_FILE: wrong,
    HEADRACE_VALKEY_URL: '',
    HEADRACE_VALKEY_URL_FILE: join(folder, 'absent'),
    HEADRACE_SIGNING_KEY_FILE: wrong,
  }
  assert.deepEqual(
    problemsOf(() => load(MINIMAL, environment)),
    [
      'HEADRACE_DATABASE_URL and HEADRACE_DATABASE_URL_FILE are both set: set only one',
      'HEADRACE_VALKEY_URL_FILE cannot be read (ENOENT)',
      'HEADRACE_DATABASE_URL_FILE must be ' +
        'postgres://user:password@host:5432/database, percent-encoded',
      'HEADRACE_SIGNING_KEY_FILE must be 32 bytes in base64url: 43 characters without padding',
    ],
  )
})

test('ambiguous YAML is rejected and never quoted', () => {
  const bomb = [
    'a0: &a0 canary',
    ...Array.from({ length: 9 }, (_, n) => {
      return `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(',')}]`
    }),
  ].join('\n')
  const cases: [string, string][] = [
    ['default_plan: canary\ndefault_plan: free\n', 'headrace.yaml:2 has a duplicate key'],
    ['api: !!binary canary', 'headrace.yaml:1 is not valid YAML (TAG_RESOLVE_FAILED)'],
    ['\napi: !canary x', 'headrace.yaml:2 is not valid YAML (TAG_RESOLVE_FAILED)'],
    ['api: *canary', 'headrace.yaml:1 has unresolved or more than 100 aliases'],
    ['api: "canary', 'headrace.yaml:1 is not valid YAML (MISSING_CHAR)'],
    ['%YAML 1.1\n---\napi: canary', 'headrace.yaml:1 must be YAML 1.2'],
    ['canary', 'headrace.yaml:1 must be a mapping'],
    [bomb, 'headrace.yaml:1 has unresolved or more than 100 aliases'],
  ]
  for (const [text, problem] of cases) {
    assert.deepEqual(
      problemsOf(() => load(text)),
      [problem],
    )
  }
})

test('an unreadable file does not hide problems in the environment', () => {
  const environment = { HEADRACE_API_PORT: '80x', HEADRACE_VALKEY_URL: 'redis://127.0.0.1' }
  assert.deepEqual(
    problemsOf(() => loadConfig({ file: join(folder, 'absent.yaml'), environment })),
    [
      'absent.yaml cannot be read (ENOENT)',
      'HEADRACE_API_PORT must be an integer from 0 to 65535',
      'HEADRACE_DATABASE_URL is not set',
    ],
  )
})

test('an aliased engine counts as a duplicate', () => {
  const engine = '&one { name: one, kind: vllm, url: "http://a", slots: 1, api_key_env: KEY }'
  const text = MINIMAL.replace(/engines: \[\{.*\}\]/, `engines: [${engine}, *one]`)
  assert.deepEqual(
    problemsOf(() => load(text, { KEY: 'k' })),
    ['headrace.yaml:2 engines[1] has a duplicate name'],
  )
})

test('a plan with billing needs prices for exactly the models that it allows', () => {
  const text = (models: string) =>
    MINIMAL.replace('models: all', `models: ${models}\n    billing: prepaid`)
  const problems = (models: string) => problemsOf(() => load(text(models)))
  const problem = 'plans.free.billing requires a price for example/large (0 makes it free)'
  assert.deepEqual(problems('[example/large]'), [`headrace.yaml:7 ${problem}`])
  assert.equal(load(text('[]')).plans['free']?.billing, 'prepaid')
})

test('inherited object properties are neither settings nor plans', () => {
  assert.deepEqual(
    problemsOf(() => load(MINIMAL.replace('default_plan: free', 'default_plan: constructor'))),
    ['headrace.yaml:9 default_plan refers to an unknown plan'],
  )
  const unknown = [11, 12].map((line) => `headrace.yaml:${line} the file has an unknown setting`)
  const problems = problemsOf(() => load(`${MINIMAL}\n__proto__: {}\ntoString: 1\n`))
  assert.deepEqual(problems, unknown)
})

test('the demo loads with .env.example, and generated files are up to date', () => {
  const generated = generateConfiguration()
  for (const [path, text] of Object.entries(generated))
    assert.equal(readFileSync(join(root, path), 'utf8'), text, `${path} is out of date`)
  const environment = parseEnv(generated['.env.example'] ?? '')
  const { models } = loadConfig({ file: join(root, 'headrace.yaml'), environment })
  assert.equal(models.map((model) => model.reasoning_history).join(), 'optional,required')
})

test('HEADRACE_CONFIG selects the file', (context) => {
  const { env } = process
  context.after(() => void (process.env = env))
  process.env = { ...env, ...ENVIRONMENT, HEADRACE_CONFIG: write('o.yaml', MINIMAL) }
  assert.equal(loadConfigFromProcess().default_plan, 'free')
})

// Rules for deploy/compose and deploy/image. The proofs `compose` and `image` run them for real.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { parse } from 'yaml'
import { generateConfiguration } from '../docs/generate-configuration.ts'
import { loadConfig, OVERRIDABLE_OF_ENGINES } from '../src/config/load.ts'
import type { SchemaNode } from '../src/config/schema-nodes.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { SECRETS_OF } from '../src/config/secrets-of.ts'
import { ROLES } from '../src/store/postgres/grant-roles.ts'

const ROOT = resolve(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'deploy/compose')

type Service = {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly restart?: string
  readonly logging?: { readonly options?: Readonly<Record<string, string>> }
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly stop_grace_period?: string
  readonly healthcheck?: object
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}
type ComposeFile = {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const TEXT = readFileSync(join(FOLDER, 'compose.yaml'), 'utf8')
const EXAMPLE = Object.fromEntries(
  [...readFileSync(join(FOLDER, '.env.example'), 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  ),
)
const COMPOSE = parse(TEXT, (_, value) => interpolate(value), { merge: true }) as ComposeFile
const { services: SERVICES, secrets: SECRETS } = COMPOSE
const PROCESSES = ['api', 'worker', 'console'] as const
const OURS = [...PROCESSES, 'migrate', 'headrace']
/** The variables that some service is given. */
const GIVEN = new Set(
  Object.values(SERVICES).flatMap(({ environment = {} }) => Object.keys(environment)),
)
const VERSION = (readJson('package.json') as { version: string }).version

/** As Docker Compose does it: `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$`. */
function interpolate(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value
    .replaceAll(/\$\{([A-Z_]+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, initial?: string) =>
      EXAMPLE[name] === undefined || EXAMPLE[name] === '' ? (initial ?? '') : EXAMPLE[name],
    )
    .replaceAll('$$', '$')
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

const OTHERS = { postgres: 'POSTGRES_IMAGE', valkey: 'VALKEY_IMAGE', caddy: 'CADDY_IMAGE' }

function tagOf(image: string): string {
  return image.split(':').at(-1) ?? ''
}

function secondsOf(duration: string): number {
  const parts = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration)
  return Number(parts?.[1] ?? 0) * 60 + Number(parts?.[2] ?? 0)
}

/** Runs the script for real, in a folder of its own. */
function createSecrets(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-secrets-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(join(FOLDER, 'create-secrets.sh'), join(folder, 'create-secrets.sh'))
  execFileSync(join(folder, 'create-secrets.sh'))
  return folder
}

describe('deploy/compose', () => {
  for (const [name, service] of Object.entries(SERVICES)) {
    test(`${name} is read-only, without capabilities, pinned, and its log is bounded`, () => {
      assert.equal(service.read_only, true)
      assert.deepEqual(service.cap_drop, ['ALL'])
      assert.deepEqual(service.cap_add ?? [], name === 'caddy' ? ['NET_BIND_SERVICE'] : [])
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
      assert.match(tagOf(service.image), /^\d+\.\d+/)
      assert.deepEqual(Object.keys(service.logging?.options ?? {}), ['max-size', 'max-file'])
      assert.ok(service.restart)
    })
  }

  test('images of others can be pinned by digest in .env', () => {
    const { services } = parse(TEXT, { merge: true }) as ComposeFile
    for (const [name, variable] of Object.entries(OTHERS)) {
      assert.equal(services[name]?.image, `\${${variable}:-${SERVICES[name]?.image}}`)
      assert.equal(EXAMPLE[variable], '', 'an empty value leaves the version of the file')
    }
  })

  test('Caddy alone has published ports, and the stores see only Headrace', () => {
    const published = Object.keys(SERVICES).filter((name) => SERVICES[name]?.ports !== undefined)
    assert.deepEqual(published, ['caddy'])
    const nearStores = Object.keys(SERVICES).filter((name) =>
      SERVICES[name]?.networks?.includes('stores'),
    )
    assert.deepEqual(nearStores.toSorted(), [...OURS, 'postgres', 'valkey'].toSorted())
  })

  test('processes start after the migration, and every one has a health check', () => {
    for (const name of PROCESSES) {
      const { depends_on: after_, healthcheck } = SERVICES[name] ?? {}
      assert.equal(after_?.['migrate']?.condition, 'service_completed_successfully')
      assert.ok(healthcheck)
    }
  })

  test('the api and Caddy may take longer to stop than streams have to end', () => {
    const { api } = loadExample(createSecrets())
    for (const name of ['api', 'caddy']) {
      const graceSeconds = secondsOf(SERVICES[name]?.stop_grace_period ?? '')
      assert.ok(graceSeconds > api.linger_seconds + api.drain_seconds, `${name}: ${graceSeconds} s`)
    }
  })

  test('every secret is written by create-secrets.sh, named, and given to a service', () => {
    const folder = join(createSecrets(), 'secrets')
    assert.deepEqual(readdirSync(folder).toSorted(), Object.keys(SECRETS).toSorted())
    const used = Object.values(SERVICES).flatMap(({ secrets = [] }) => secrets)
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(SECRETS).toSorted())
    for (const [name, { file }] of Object.entries(SECRETS)) assert.equal(file, `./secrets/${name}`)
  })

  test('the folder of secrets is closed, and a second run changes nothing', () => {
    const folder = createSecrets()
    const read = () =>
      Object.keys(SECRETS).map((name) => readFileSync(join(folder, 'secrets', name), 'utf8'))
    const before = read()
    execFileSync(join(folder, 'create-secrets.sh'))
    assert.deepEqual(read(), before)
    assert.equal(statSync(join(folder, 'secrets')).mode & 0o777, 0o700)
  })

  test('.env.example has exactly the variables of compose.yaml', () => {
    const used = [...TEXT.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name)
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(EXAMPLE).toSorted())
  })

  test('every variable of a process is a setting or a secret of Headrace', () => {
    const { '.env.example': all = '' } = generateConfiguration()
    const known = new Set(all.match(/HEADRACE_[A-Z_]+/g))
    for (const key of OVERRIDABLE_OF_ENGINES)
      known.add(`HEADRACE_ENGINES_MAIN_${key}`.toUpperCase())
    for (const name of OURS) {
      const variables = Object.keys(SERVICES[name]?.environment ?? {})
      const unknown = variables.filter((variable) => !known.has(variable.replace(/_FILE$/, '')))
      assert.deepEqual(unknown, [], name)
    }
  })

  test('no secret is a variable: every one of Headrace is read from a file', () => {
    const { properties = {} }: SchemaNode = ConfigSchema as object
    const secrets = Object.values(properties).flatMap(({ environment = [] }) => environment)
    assert.ok(secrets.includes('HEADRACE_SMTP_URL'))
    for (const name of OURS) {
      const variables = Object.keys(SERVICES[name]?.environment ?? {})
      assert.deepEqual(
        variables.filter((variable) => secrets.includes(variable)),
        [],
        name,
      )
    }
  })

  test('every process has a database role of its own, which PostgreSQL creates', () => {
    const folder = createSecrets()
    const roleOf = (name: Parameters<typeof loadExample>[1]) =>
      new URL(loadExample(folder, name).database_url).username
    const roles = (['api', 'worker', 'console'] as const).map(roleOf)
    assert.deepEqual(roles, Object.values(ROLES))
    assert.equal(roleOf('migrate'), 'headrace')
    const script = readFileSync(join(FOLDER, 'create-roles.sh'), 'utf8')
    for (const role of Object.values(ROLES))
      assert.match(script, new RegExp(`create role ${role} `))
    const mounted = SERVICES['postgres']?.volumes ?? []
    assert.ok(mounted.some((each) => /^\.\/create-roles\.sh:.*initdb\.d\/.*:ro$/.test(each)))
  })

  test('a process has the secrets that it reads, and no others', () => {
    const { properties = {} }: SchemaNode = ConfigSchema as object
    for (const name of [...PROCESSES, 'migrate'] as const) {
      const read = SECRETS_OF[name].map((setting) =>
        setting === 'engines' ? 'HEADRACE_ENGINE_KEY' : properties[setting]?.environment,
      )
      // For a rotation, and for a collector of traces, the operator adds what compose.yaml has not.
      const expected = read.filter((variable) => GIVEN.has(`${variable}_FILE`))
      const { environment = {}, secrets = [] } = SERVICES[name] ?? {}
      const files = Object.entries(environment).filter(([variable]) => variable.endsWith('_FILE'))
      assert.deepEqual(
        files.map(([variable]) => variable).toSorted(),
        expected.map((variable) => `${variable}_FILE`).toSorted(),
        name,
      )
      const mounted = files.map(([, file]) => file.replace('/run/secrets/', ''))
      assert.deepEqual(mounted.toSorted(), secrets.toSorted(), name)
    }
  })

  test('an SMTP server is used once it is in its file', () => {
    const folder = createSecrets()
    assert.equal(loadExample(folder, 'console').smtp_url, undefined)
    const file = join(folder, 'secrets/smtp_url')
    rmSync(file)
    writeFileSync(file, 'smtps://user:password@mail.example.com:465\n')
    const { smtp_url: url } = loadExample(folder, 'console')
    assert.equal(url, 'smtps://user:password@mail.example.com:465')
  })

  test('payments begin with two secrets and a section, and without them there are none', () => {
    const folder = createSecrets()
    assert.equal(loadExample(folder, 'console').stripe_key, undefined)
    const write = (name: string, value: string) => {
      const file = join(folder, 'secrets', name)
      rmSync(file)
      writeFileSync(file, `${value}\n`)
    }
    write('stripe_key', 'rk_test_0123456789abcdef')
    write('stripe_webhook_secrets', 'whsec_0123456789abcdef0123')
    const { stripe_key: key, stripe_webhook_secrets: secrets } = loadExample(folder, 'console')
    assert.equal(key, 'rk_test_0123456789abcdef')
    assert.deepEqual(secrets, ['whsec_0123456789abcdef0123'])
    // Nobody else is given them.
    assert.equal(loadExample(folder, 'worker').stripe_key, undefined)
  })

  for (const name of [...PROCESSES, 'migrate'] as const)
    test(`${name} accepts the configuration with its secrets`, () => {
      assert.ok(loadExample(createSecrets(), name))
    })

  test('the processes accept the configuration, with the addresses of .env', () => {
    const { console: settings, engines } = loadExample(createSecrets())
    assert.equal(settings.public_url, 'https://localhost')
    assert.equal(settings.api_url, 'https://localhost/compat/v1')
    const [engine] = engines
    assert.equal(engine?.url, EXAMPLE['ENGINE_URL'])
    assert.equal(engine?.model_name, EXAMPLE['ENGINE_MODEL'])
  })

  test('the versions are those that the tests use', () => {
    const development = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as ComposeFile
    for (const name of ['postgres', 'valkey'])
      assert.equal(SERVICES[name]?.image, development.services[name]?.image)
    assert.equal(tagOf(EXAMPLE['HEADRACE_IMAGE'] ?? ''), VERSION)
    assert.ok(TEXT.includes(`\${HEADRACE_IMAGE:-${EXAMPLE['HEADRACE_IMAGE']}}`))
  })
})

/** The configuration that a process has in the compose file. */
function loadExample(folder: string, process: (typeof PROCESSES)[number] | 'migrate' = 'api') {
  const environment = Object.entries(SERVICES[process]?.environment ?? {}).map(
    ([name, value]) => [name, value.replace('/run/secrets', join(folder, 'secrets'))] as const,
  )
  const file = join(FOLDER, 'headrace.yaml')
  return loadConfig({ file, environment: Object.fromEntries(environment) }, process)
}

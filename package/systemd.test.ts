import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { loadConfig } from '../src/config/load.ts'
import type { SchemaNode } from '../src/config/schema-nodes.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { SECRETS_OF } from '../src/config/secrets-of.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SERVICES = ['api', 'worker', 'console'] as const
/** After the drain a process closes connections and flushes. */
const FLUSH_SECONDS = 15

describe('systemd units', () => {
  for (const name of SERVICES)
    test(`headrace-${name} is not restarted after an invalid configuration`, () => {
      assert.deepEqual(settings(name, 'RestartPreventExitStatus'), ['78'])
      assert.deepEqual(settings(name, 'Restart'), ['always'])
      assert.deepEqual(settings(name, 'ExecStart'), [`/usr/bin/headrace ${name}`])
    })

  for (const name of [...SERVICES, 'migrate'] as const)
    test(`headrace-${name} does not get the secrets that it does not read`, () => {
      const { properties = {} }: SchemaNode = ConfigSchema as object
      const secrets = Object.entries(properties).flatMap(([key, { environment }]) =>
        environment === undefined ? [] : [{ key, environment }],
      )
      // Under this name headrace.env has the key of an engine.
      secrets.push({ key: 'engines', environment: 'HEADRACE_ENGINE_KEY' })
      const others = secrets.filter(({ key }) => !SECRETS_OF[name].some((each) => each === key))
      assert.deepEqual(
        settings(name, 'UnsetEnvironment').toSorted(),
        others.map(({ environment }) => environment).toSorted(),
      )
    })

  test('systemd waits for the streams of the API', () => {
    const { api } = loadConfig({
      file: join(ROOT, 'headrace.yaml'),
      environment: {
        HEADRACE_DATABASE_URL: 'postgres://localhost/headrace',
        HEADRACE_VALKEY_URL: 'redis://localhost',
        HEADRACE_ENGINE_KEY: 'key',
      },
    })
    const needed = api.linger_seconds + api.drain_seconds + FLUSH_SECONDS
    assert.ok(Number(settings('api', 'TimeoutStopSec')[0]) >= needed)
  })

  test('every unit has the same protection', () => {
    const protection = (name: string) => /^# Nothing is written[^]*?compiles.*$/m.exec(unit(name))
    for (const name of ['worker', 'console', 'migrate'])
      assert.equal(protection(name)?.[0], protection('api')?.[0])
    assert.match(protection('api')?.[0] ?? '', /^CapabilityBoundingSet=$/m)
  })
})

function unit(name: string): string {
  return readFileSync(join(ROOT, `deploy/systemd/headrace-${name}.service`), 'utf8')
}

function settings(name: string, setting: string): string[] {
  const lines = unit(name).split('\n')
  return lines
    .filter((line) => line.startsWith(`${setting}=`))
    .map((line) => line.split('=')[1] ?? '')
}

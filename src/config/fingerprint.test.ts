import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig, type Config } from './load.ts'
import { fingerprintOf } from './fingerprint.ts'
import { SECRETS_OF, type SecretReader } from './secrets-of.ts'

const file = new URL('../../headrace.yaml', import.meta.url).pathname

function load(environment: Readonly<Record<string, string>> = {}, reader?: SecretReader): Config {
  const base = {
    HEADRACE_DATABASE_URL: 'postgres://headrace:first@127.0.0.1:5432/headrace',
    HEADRACE_VALKEY_URL: 'redis://127.0.0.1:6379',
    HEADRACE_ENGINE_KEY: 'k'.repeat(32),
    HEADRACE_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64url'),
  }
  return loadConfig({ file, environment: { ...base, ...environment } }, reader)
}

test('where a process listens and what its secrets are does not change the fingerprint', () => {
  const first = fingerprintOf(load())
  assert.match(first, /^[0-9a-f]{64}$/)
  for (const environment of [
    { HEADRACE_API_PORT: '1234', HEADRACE_API_HEALTH_PORT: '1235', HEADRACE_API_LOG_LEVEL: 'warn' },
    { HEADRACE_WORKER_HEALTH_PORT: '1236' },
    { HEADRACE_DATABASE_URL: 'postgres://headrace:second@127.0.0.1:5432/headrace' },
    { HEADRACE_SIGNING_KEY: Buffer.alloc(32, 9).toString('base64url') },
    { HEADRACE_SIGNING_KEY: '', HEADRACE_SMTP_URL: 'smtps://mail.example.com' },
  ])
    assert.equal(fingerprintOf(load(environment)), first)
})

test('processes that read different secrets have one fingerprint', () => {
  const all = fingerprintOf(load())
  for (const reader of Object.keys(SECRETS_OF) as SecretReader[])
    assert.equal(fingerprintOf(load({}, reader)), all, reader)
})

test('the order of settings does not change the fingerprint', () => {
  const config = load()
  const reversed = Object.fromEntries(Object.entries(config).toReversed()) as Config
  assert.equal(fingerprintOf(reversed), fingerprintOf(config))
})

test('any other setting and another database change the fingerprint', () => {
  const config = load()
  const others = [
    load({ HEADRACE_API_DRAIN_SECONDS: '7' }),
    load({ HEADRACE_DATABASE_URL: 'postgres://headrace:first@127.0.0.1:5432/other' }),
    { ...config, default_plan: 'other' },
    { ...config, models: config.models.toReversed().slice(1) },
  ]
  const all = new Set([config, ...others].map(fingerprintOf))
  assert.equal(all.size, others.length + 1)
})

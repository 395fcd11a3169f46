import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from './load.ts'
import { SECRETS_OF, type SecretReader } from './secrets-of.ts'

const file = new URL('../../headrace.yaml', import.meta.url).pathname
const KEYS = [7, 8, 9, 10].map((byte) => Buffer.alloc(32, byte).toString('base64url'))
const STORES = {
  HEADRACE_DATABASE_URL: 'postgres://127.0.0.1:5432/headrace',
  HEADRACE_VALKEY_URL: 'redis://127.0.0.1:6379',
}
const ALL = {
  ...STORES,
  HEADRACE_ENGINE_KEY: 'canary-engine',
  HEADRACE_SIGNING_KEY: KEYS[0],
  HEADRACE_ACCEPTED_SIGNING_KEYS: KEYS[1],
  HEADRACE_CONTENT_KEY: KEYS[2],
  HEADRACE_ACCEPTED_CONTENT_KEYS: KEYS[3],
  HEADRACE_SMTP_URL: 'smtps://mail.example.com',
  HEADRACE_STRIPE_KEY: 'rk_test_canary',
  HEADRACE_STRIPE_WEBHOOK_SECRETS: 'whsec_canary_0123456789',
  HEADRACE_TRACING_HEADERS: 'canary=value',
}

/** The settings of a reader that contain a secret. */
function secretsOf(reader: SecretReader): string[] {
  const { engines, ...config } = loadConfig({ file, environment: ALL }, reader)
  const own = Object.entries(config).filter(([name, value]) => {
    const isSecret = Object.values(SECRETS_OF).some((names) => names.some((each) => each === name))
    return isSecret && value !== undefined && JSON.stringify(value) !== '[]'
  })
  const asksEngines = engines.some(({ api_key: key }) => key !== undefined)
  return [...own.map(([name]) => name), ...(asksEngines ? ['engines'] : [])].toSorted()
}

for (const reader of Object.keys(SECRETS_OF) as SecretReader[])
  test(`${reader} reads its secrets and no others`, () => {
    assert.deepEqual(secretsOf(reader), SECRETS_OF[reader].toSorted())
  })

test('a process needs no variable and no file of a secret that it does not read', () => {
  const environment = { ...STORES, HEADRACE_SMTP_URL_FILE: '/nowhere/smtp_url' }
  assert.equal(loadConfig({ file, environment }, 'migrate').smtp_url, undefined)
  assert.throws(() => loadConfig({ file, environment: STORES }, 'api'), /api_key_env is the name/)
})

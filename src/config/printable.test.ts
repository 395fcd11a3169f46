import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { MINIMAL, SIGNING_KEY, load } from '../../test/harness/processes/configuration.ts'
import { ConfigError } from './load.ts'
import { printableConfig } from './printable.ts'

test('URLs are printed with host and database only, other secrets are masked', () => {
  const config = load(MINIMAL.replace('slots', 'api_key_env: ONE_KEY, slots'), {
    HEADRACE_VALKEY_URL: 'redis://:word@a:6379,rediss://b/1?password=word',
    HEADRACE_SIGNING_KEY: SIGNING_KEY,
    ONE_KEY: 'engine-key',
  })
  const shown = printableConfig(config) as typeof config
  assert.equal(shown.database_url, 'postgres://***@db.example.com:5432/headrace')
  assert.deepEqual(shown.valkey_urls, ['redis://***@a:6379', 'rediss://b/1'])
  assert.deepEqual([shown.signing_key, shown.engines[0]?.api_key], ['***', '***'])
})

const BORDERS = Array.from('a1:/?#@,[]% \\"\'&*!{}\n')
// Surrounds the canary with delimiters of URLs, lists and YAML scalars.
const around = fc.string({ unit: fc.constantFrom(...BORDERS), maxLength: 6 })
const secret = fc.tuple(around, around).map(([before, behind]) => `${before}CANARY${behind}`)

test('no secret appears in an error or in the printable configuration', () => {
  let loaded = 0
  const check = (text: string, environment: Record<string, string>) => {
    let shown: unknown
    try {
      shown = printableConfig(load(text, environment))
      loaded += 1
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      shown = error
    }
    assert.doesNotMatch(inspect(shown, { depth: 20, maxStringLength: null }), /CANARY/i)
  }
  const property = fc.property(secret, fc.boolean(), (raw, encode) => {
    const word = encode ? encodeURIComponent(raw) : raw
    check(MINIMAL.replace('slots', 'api_key_env: ONE_KEY, slots'), { ONE_KEY: raw })
    check(MINIMAL, { HEADRACE_DATABASE_URL: `postgres://user:${word}@db.example.com/headrace` })
    check(MINIMAL, { HEADRACE_DATABASE_URL: `postgres://h/d?password=${word}` })
    check(MINIMAL, { HEADRACE_VALKEY_URL: `redis://user:${word}@a:6379,redis://:${word}@b` })
    check(MINIMAL, { HEADRACE_SIGNING_KEY: raw, HEADRACE_DATABASE_URL_FILE: raw })
    check(MINIMAL.replace('slots', `api_key: ${raw}, slots`), {})
    check(MINIMAL.replace('slots', `api_key_env: ${JSON.stringify(raw)}, slots`), {})
    check(MINIMAL.replace('//127', `//user:${word}@127`), {})
    check(`database_url: ${JSON.stringify(raw)}\n${MINIMAL}`, {})
  })
  const examples = ['?', '/', '#', '/0?'].map((end): [string, boolean] => [`@CANARY${end}`, false])
  fc.assert(property, { numRuns: 40, examples })
  assert.ok(loaded > 40, 'too few cases were loaded and printed')
})

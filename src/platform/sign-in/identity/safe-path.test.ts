import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REDIRECT_ATTACKS } from '../../../../test/harness/servers/redirect-attacks.ts'
import { safePath } from './safe-path.ts'

test('paths of the console are kept', () => {
  for (const to of [
    '/',
    '/o/acme',
    '/o/acme/usage?from=2026-11-01&by=model,day&model=meta/llama-3',
    '/requests/0198b2f0-0000-7000-8000-000000000000',
    '/o/acme/keys/?q=a%20b%2Fc',
  ])
    assert.equal(safePath(to), to)
})

test('no spelling leaves the site', () => {
  assert.ok(REDIRECT_ATTACKS.length >= 40)
  for (const to of REDIRECT_ATTACKS) {
    const path = safePath(to)
    assert.equal(path, '/', JSON.stringify(to))
    assert.equal(new URL(path, 'https://console.example.com').host, 'console.example.com')
  }
  for (const to of [undefined, null, 1, {}, ['/o/acme'], '/' + 'a'.repeat(2_000)])
    assert.equal(safePath(to), '/')
})

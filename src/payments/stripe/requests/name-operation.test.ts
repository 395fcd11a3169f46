import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { dirname } from 'node:path'
import { nameOperation, OPERATIONS } from './name-operation.ts'

/** All code that sends requests. */
const FOLDER = dirname(import.meta.dirname)

test('no id of the provider becomes the name of an operation', () => {
  assert.equal(
    nameOperation('POST', '/v1/checkout/sessions/cs_test_a1/expire'),
    'POST checkout/sessions/{id}/expire',
  )
  assert.equal(nameOperation('GET', '/v1/invoices/pay_1'), 'GET invoices/{id}')
  assert.equal(nameOperation('GET', '/v1/secrets/sk_live_1'), 'other')
})

test('every path that a request is made from has a name', () => {
  const files = globSync('**/*.ts', { cwd: FOLDER }).filter((name) => !name.endsWith('.test.ts'))
  const paths = files.flatMap((name) => {
    const text = readFileSync(`${FOLDER}/${name}`, 'utf8')
    return [...text.matchAll(/['`]\/v1\/([^'`?]+)['`]/g)].map(([, path = '']) => path)
  })
  assert.ok(paths.length > 10)
  const named = new Set(OPERATIONS.map((name) => name.replace(/^\S+ /, '')))
  for (const path of paths) {
    const name = path.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '{id}')
    assert.ok(named.has(name), name)
  }
})

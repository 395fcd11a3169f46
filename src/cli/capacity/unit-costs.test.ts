import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { UNIT_COSTS } from './unit-costs.ts'
import { assumeWorkload } from './workload.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

test('each figure names a proof that exists and is described', () => {
  const described = read('docs/proofs.md')
  for (const [name, { proof, value, unit, what }] of Object.entries(UNIT_COSTS)) {
    assert.ok(existsSync(new URL(`test/prove/${proof}.ts`, ROOT)), `${name}: ${proof}`)
    assert.match(described, new RegExp(`^### ${proof}$`, 'm'), name)
    assert.ok(value > 0 && unit !== '' && what !== '', name)
  }
})

test('the calculator assumes the default number of connections of an api process', () => {
  const { apiConnections } = assumeWorkload({ streams: 1, tokensPerSecond: 1 })
  const shown = `\`database.connections\` | \`${apiConnections}\``
  assert.ok(read('docs/configuration.md').includes(shown), shown)
})

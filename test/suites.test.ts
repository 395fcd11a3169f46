import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTests, suiteOf, SUITES } from './suites.ts'

test('a test belongs to a suite with servers exactly if its imports lead to them', () => {
  const cases = {
    'src/lib/parse-json.test.ts': 'unit',
    'src/config/load.test.ts': 'unit',
    'stack/stack.test.ts': 'unit',
    'test/engines/recorded-vllm.test.ts': 'unit',
    'test/tidy.test.ts': 'rules',
    'src/store/postgres/migrate.test.ts': 'servers',
    'src/worker/reconcile.test.ts': 'servers',
    'test/cli/main.test.ts': 'servers',
    'test/api/contract.test.ts': 'api',
  }
  for (const [path, suite] of Object.entries(cases)) assert.equal(suiteOf(path), suite, path)
})

test('every suite has tests', () => {
  const suites = new Set(listTests().map(suiteOf))
  assert.deepEqual(
    SUITES.filter((suite) => !suites.has(suite)),
    [],
  )
})

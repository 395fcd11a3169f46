import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTests, suiteOf } from '../suites.ts'
import { completeSince } from './changed-files.ts'
import { chooseTests } from './choose-tests.ts'

const TESTS = listTests()
const isRule = (file: string) => suiteOf(file) === 'rules'

function choose(...changed: string[]): string[] {
  return chooseTests(changed, TESTS, isRule).chosen.map(({ file }) => file)
}

test('a change chooses tests that lead to it, whatever kind of file it is', () => {
  const cases = {
    'src/lib/csv.test.ts': 'src/lib/csv.test.ts',
    'src/lib/csv.ts': 'src/lib/csv.test.ts',
    'src/engines/adapters/vllm.ts': 'test/engines/recorded-vllm.test.ts',
    'src/store/limits/limits.lua': 'src/store/limits/limits.test.ts',
    'src/platform/api/routes/keys.ts': 'test/platform/keys.test.ts',
    'migrations/0001-tenants.sql': 'src/store/postgres/migrate.test.ts',
    'web/src/pages/keys/new-page.tsx': 'test/browser/keys.test.ts',
    'web/src/parts/new-part.tsx': 'test/browser/outage.test.ts',
    'src/platform/sign-in/identity/common-passwords.txt':
      'src/platform/sign-in/identity/password-rules.test.ts',
  }
  for (const [path, expected] of Object.entries(cases)) {
    const chosen = choose(path)
    assert.ok(chosen.includes(expected), `${path}: ${chosen.join(' ')}`)
  }
})

test('rules run for every change, and all tests if how tests run may have changed', () => {
  const rules = TESTS.filter(isRule)
  const chosen = choose('docs/threat-model.md')
  assert.deepEqual(
    rules.filter((file) => !chosen.includes(file)),
    [],
  )
  assert.ok(chosen.length < TESTS.length / 10)
  for (const path of ['package.json', 'package-lock.json', 'stack/stack.ts', 'test/suites.ts'])
    assert.deepEqual(choose(path), TESTS, path)
})

test('a change of one adapter leaves out most tests that start the whole service', () => {
  const { chosen, left } = chooseTests(['src/engines/adapters/vllm.ts'], TESTS, isRule)
  const served = chosen.filter(({ file }) => ['servers', 'api'].includes(suiteOf(file)))
  assert.ok(served.length < 10 && left.length > 50, `${served.length} of ${left.length}`)
  assert.ok(chosen.some(({ file }) => file === 'test/api/chat-completions.stream.test.ts'))
})

test('--since without a revision means since main', () => {
  assert.deepEqual(completeSince(['--since']), ['--since', 'main'])
  assert.deepEqual(completeSince(['--since', '--wide']), ['--since', 'main', '--wide'])
  assert.deepEqual(completeSince(['--since', 'v1', 'a']), ['--since', 'v1', 'a'])
})

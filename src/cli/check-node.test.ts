import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { findNodeProblem } from './check-node.ts'

const MAIN = new URL('../main.ts', import.meta.url).pathname

test('an older Node.js is told which one is needed, and a newer one runs', () => {
  for (const version of ['24.12.0', '24.21.0', '25.0.0'])
    assert.equal(findNodeProblem(version, '>=24.12'), undefined, version)
  for (const version of ['20.20.2', '22.23.3', '24.11.9'])
    assert.match(
      findNodeProblem(version, '>=24.12') ?? '',
      new RegExp(`^Headrace needs Node 24\\.12 or newer; this is ${version}\\. [^\\n]+$`),
    )
})

test('the program looks at the version before it loads a module that is too new', () => {
  const pretend = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" })'
  const args = ['--import', `data:text/javascript,${pretend}`, MAIN, '--version']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^Headrace needs Node 24\.12 or newer; this is 20\.20\.2\. [^\n]+\n$/)
})

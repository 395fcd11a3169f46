import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { UNIT_COSTS } from '../../src/cli/capacity/unit-costs.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const LOAD = ['--streams', '2000', '--tokens-per-second', '50']

/** Without a configuration, a database or Valkey. */
function run(...args: string[]) {
  const env = { HEADRACE_CONFIG: '/nowhere' }
  return spawnSync(process.execPath, [MAIN, 'capacity', ...args], { env, encoding: 'utf8' })
}

test('the size of a deployment is printed with every figure that it was calculated from', () => {
  const { status, stdout, stderr } = run(...LOAD, '--organizations', '500')
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^--organizations +500 +given +organizations$/m)
  assert.match(stdout, /^--requests-per-second +200 +assumed /m)
  assert.match(stdout, /^api processes +\d+ +by CPU \d+, by memory \d+$/m)
  assert.match(stdout, /^Saturates first: \S.*, [\d.]+ % used\.$/m)
  for (const { what, value, proof } of Object.values(UNIT_COSTS))
    assert.ok(
      stdout.split('\n').some((line) => {
        return (
          line.startsWith(what) && line.includes(`${value} `) && line.endsWith(`prove ${proof}`)
        )
      }),
      what,
    )
})

test('the same is printed as JSON', () => {
  const { status, stdout, stderr } = run(...LOAD, '--json')
  assert.equal(status, 0, stderr)
  const printed = JSON.parse(stdout) as {
    readonly workload: { readonly streams: number }
    readonly deployment: { readonly ceilings: readonly { readonly name: string }[] }
    readonly saturatesFirst: string
    readonly unitCosts: readonly unknown[]
  }
  assert.equal(printed.workload.streams, 2_000)
  assert.equal(printed.saturatesFirst, printed.deployment.ceilings[0]?.name)
  assert.equal(printed.unitCosts.length, Object.keys(UNIT_COSTS).length)
})

test('a load without streams, or with a number that makes no sense, is refused', () => {
  const wrong = [
    [],
    ['--streams', '5'],
    [...LOAD, '--busy', '101'],
    [...LOAD, '--keys', '-1'],
    ['--streams', '0', '--tokens-per-second', '1'],
    ['--streams', '1e99', '--tokens-per-second', '1'],
  ]
  for (const args of wrong) {
    const { status, stdout, stderr } = run(...args)
    assert.deepEqual([status, stdout], [1, ''], args.join(' '))
    assert.match(stderr, /^error: .*\n.*--help/)
  }
})

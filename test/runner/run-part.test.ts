import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { runPart, type Part, type Totals } from './run-part.ts'

/** Runs a part that is a line of shell, and returns what CI counts and prints. */
async function run(
  t: TestContext,
  script: string,
  counts: Part['counts'],
  limitSeconds = 60,
): Promise<Totals & { readonly printed: string; readonly passes: boolean }> {
  const totals: Totals = { passed: 0, failed: 0, skipped: [], failures: [] }
  const { mock } = t.mock.method(process.stdout, 'write', () => true)
  const part: Part = { name: 'part', limitSeconds, command: ['sh', '-c', script], counts }
  const seconds = await runPart(part, totals)
  const printed = mock.calls.map((call) => String(call.arguments[0])).join('')
  mock.restore()
  return { ...totals, printed, passes: seconds !== undefined }
}

function countsOf({ passed, failed, skipped, passes }: Awaited<ReturnType<typeof run>>) {
  return { passed, failed, skipped: skipped.length, passes }
}

test('a part counts once; what is not possible here is skipped and has not passed', async (t) => {
  const cases = [
    ['exit 0', 'one', { passed: 1, failed: 0, skipped: 0, passes: true }],
    ['exit 1', 'one', { passed: 0, failed: 1, skipped: 0, passes: false }],
    ['exit 3', 'one', { passed: 0, failed: 0, skipped: 1, passes: false }],
    ['exit 0', 'none', { passed: 0, failed: 0, skipped: 0, passes: true }],
    ['exit 3', 'none', { passed: 0, failed: 1, skipped: 0, passes: false }],
  ] as const
  for (const [script, counts, expected] of cases)
    assert.deepEqual(countsOf(await run(t, script, counts)), expected, `${script} ${counts}`)
})

test('tests count by their last line; without one, or with a bad exit, they failed', async (t) => {
  const cases = [
    ['echo 9 passed, 9 failed; echo 5 passed, 0 failed', { passed: 5, failed: 0, passes: true }],
    ['echo 5 passed, 2 failed; exit 1', { passed: 5, failed: 2, passes: false }],
    ['echo 5 passed, 0 failed; exit 1', { passed: 5, failed: 1, passes: false }],
    ['echo nothing', { passed: 0, failed: 1, passes: false }],
  ] as const
  for (const [script, expected] of cases)
    assert.deepEqual(countsOf(await run(t, script, 'tests')), { ...expected, skipped: 0 }, script)
})

test('a part that does not end is ended with what it started, and has failed', async (t) => {
  const { printed, ...ended } = await run(t, 'echo began; sleep 600 & wait', 'one', 1)
  assert.equal(ended.failed, 1)
  assert.match(printed, /^== part\nbegan\npart did not end within 1 s\n== part: \d+ s, /)
})

test('the output of a part is printed at once, when it has ended', async (t) => {
  const { printed } = await run(t, 'echo one; echo two >&2', 'one')
  assert.match(printed, /^== part\none\ntwo\n== part: 0 s, processors \d+ % busy\n$/)
})

test('the end says what failed: the part, each test it names, its last lines', async (t) => {
  const failing =
    'echo FAILED src/a.test.ts; echo it holds; echo why; echo 1 passed, 1 failed; exit 1'
  assert.deepEqual((await run(t, failing, 'tests')).failures, ['part', '  src/a.test.ts: it holds'])
  assert.deepEqual((await run(t, 'exit 1', 'one')).failures, ['part'])
  const said = await run(t, 'seq 30; echo; echo used 3 of 2; exit 1', 'one')
  assert.deepEqual(said.failures.slice(0, 2), ['part', '  12'])
  assert.deepEqual(said.failures.slice(-2), ['  30', '  used 3 of 2'])
  assert.deepEqual((await run(t, 'exit 3', 'one')).failures, [])
  assert.deepEqual((await run(t, 'exit 0', 'one')).failures, [])
})

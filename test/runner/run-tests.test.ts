import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { runTests, type Tally } from './run-tests.ts'

const PASSES = `test('passes', () => {})`
/** What ends by itself ends long before these, on a busy machine too. */
const LIMITS = { testLimitMs: 60_000, fileLimitMs: 100_000, endLimitMs: 60_000 }

type Ran = { readonly passed: number; readonly failed: readonly string[]; readonly printed: string }

/** Runs files of the given texts one after another in the given order. */
async function run(
  t: TestContext,
  texts: Readonly<Record<string, string>>,
  limits: Partial<typeof LIMITS> = {},
): Promise<Ran> {
  const cwd = mkdtempSync(join(tmpdir(), 'headrace-runner-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(cwd, name), `import { after, beforeEach, test } from 'node:test'\n${text}\n`)
  const tally: Tally = { passed: 0, failures: [] }
  let printed = ''
  const print = (text: string) => void (printed += text)
  const options = { cwd, filesAtOnce: 1, sharesProcesses: true, print, ...LIMITS, ...limits }
  await runTests(Object.keys(texts), options, tally)
  const failed = tally.failures.map((each) => `${each.file} | ${each.test} | ${each.reason}`)
  return { passed: tally.passed, failed, printed }
}

describe('the runner', { concurrency: true }, () => {
  test('a failure names file and test, shows the output, and the other files run', async (t) => {
    const { passed, failed, printed } = await run(t, {
      'a.mjs': `test('outer', (t) => t.test('inner', () => {
        console.log('a word')
        throw 'wrong'
      }))`,
      'b.mjs': PASSES,
    })
    assert.deepEqual(failed, [`a.mjs | outer › inner | 'wrong'`])
    assert.match(printed, /Output of a\.mjs:\na word/)
    assert.equal(passed, 1)
  })

  test('a test that is skipped or to do, and a file without a test, have failed', async (t) => {
    const { passed, failed } = await run(t, {
      'skip.mjs': `test.skip('left out', () => {})`,
      'todo.mjs': `test.todo('later')`,
      'empty.mjs': '',
    })
    assert.deepEqual(failed, [
      'skip.mjs | left out | skipped or to do',
      'todo.mjs | later | skipped or to do',
      'empty.mjs | the file itself | contains no test',
    ])
    assert.equal(passed, 0)
  })

  test('a file that cannot be loaded or ends its process has failed', async (t) => {
    const { passed, failed } = await run(t, {
      'load.mjs': `throw 'at import'`,
      'exit.mjs': `test('exits', () => process.exit(0))`,
      'last.mjs': PASSES,
    })
    assert.match(failed[0] ?? '', /^load\.mjs \| the file itself \| .*at import/s)
    assert.match(failed[1] ?? '', /^exit\.mjs \| .*the process ended before the tests did/)
    assert.deepEqual([failed.length, passed], [2, 1])
  })

  test('a file that never yields is ended at its limit', async (t) => {
    const texts = { 'loop.mjs': `test('loops', () => { for (;;); })` }
    const { failed } = await run(t, texts, { fileLimitMs: 2_000 })
    assert.match(failed.join(), /^loop\.mjs \| .*the file did not end within 2 s$/)
  })

  test('what a file at its limit has started does not hold up the run', async (t) => {
    const text = `import { spawn } from 'node:child_process'
    test('starts', () => {
      spawn('sleep', ['20'], { stdio: 'inherit' })
      for (;;);
    })`
    const startedMs = performance.now()
    const { failed } = await run(t, { 'starts.mjs': text }, { fileLimitMs: 1_000 })
    assert.match(failed.join(), /the file did not end within 1 s$/)
    assert.ok(performance.now() - startedMs < 15_000)
  })

  test('a test that hangs fails at its limit, and the next test of the file runs', async (t) => {
    const hangs = `test('hangs', () => new Promise(() => {}))\n${PASSES}`
    const { passed, failed } = await run(t, { 'hang.mjs': hangs }, { testLimitMs: 200 })
    assert.match(failed.join(), /^hang\.mjs \| hangs \| .*timed out after 200ms/s)
    assert.equal(passed, 1)
  })

  test('a file that leaves something running fails; the next has another process', async (t) => {
    const texts = {
      'leak.mjs': `test('leaks', () => void setInterval(() => {}, 50))`,
      'b.mjs': PASSES,
    }
    const { passed, failed } = await run(t, texts, { endLimitMs: 500 })
    assert.deepEqual(failed, [
      'leak.mjs | the file itself | its tests ended, but something that they started runs on',
    ])
    assert.equal(passed, 2)
  })

  test('an error after the end of its test fails the file', async (t) => {
    const late = `test('late', () => void setTimeout(() => { throw new Error('too late') }, 20))`
    const { failed, printed } = await run(t, { 'late.mjs': late, 'b.mjs': PASSES })
    assert.match(failed.join(), /^late\.mjs \| the file itself \| an error came after its tests/)
    assert.match(printed, /too late/)
  })

  test('files share a process, but neither hooks nor what one has changed', async (t) => {
    const noteHook = `beforeEach(() => {
      globalThis.hooks = (globalThis.hooks ?? 0) + 1
    })
    ${PASSES}`
    const seen = `test('sees', () => {
    console.log(process.pid, globalThis.hooks ?? 'none', process.env.TZ ?? 'no zone')
    throw 'to show the output'
  })`
    const change = `test('changes', () => { process.env.TZ = 'Asia/Tokyo' })`
    const texts = {
      'a.mjs': noteHook,
      'b.mjs': seen,
      'c.mjs': seen,
      'd.mjs': change,
      'e.mjs': seen,
    }
    const { printed } = await run(t, texts)
    const lines = [...printed.matchAll(/^(\d+) (\S+) (.*)$/gm)].map(([, ...found]) => found)
    const [first, second, third] = lines
    assert.deepEqual(
      [first?.slice(1), second?.slice(1)],
      [
        ['1', 'no zone'],
        ['1', 'no zone'],
      ],
    )
    assert.equal(first?.[0], second?.[0], 'one process')
    assert.deepEqual(third?.slice(1), ['none', 'no zone'])
  })

  test('a file that sets the time zone does not meet what others have formatted', async (t) => {
    const seen = `test('sees', () => { console.log(process.pid); throw 'to show the output' })`
    const zoned = `${seen}\nfunction setTimeZone(zone) { process.env.TZ = zone }`
    const { printed } = await run(t, { 'a.mjs': seen, 'b.mjs': zoned })
    const pids = [...printed.matchAll(/^(\d+)$/gm)].map(([, pid]) => pid)
    assert.equal(pids.length, 2)
    assert.notEqual(pids[0], pids[1])
  })
})
